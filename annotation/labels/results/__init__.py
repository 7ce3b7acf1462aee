"""What people's labels come to: one answer an item, key points told and left out, preferences."""
