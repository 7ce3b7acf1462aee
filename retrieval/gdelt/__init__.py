"""GDELT 2.0 as a source of web addresses: which reports were seen when, in which language.

GDELT publishes a file every fifteen minutes, of each of three products (`gkg`, one row a
document; `export`, one row an event; `mentions`), in two streams (English pages, and pages of
65 other languages that it translated).  Here a window of time becomes, for every quarter-hour,
a table, a known gap or a named failure; see ``docs/gdelt.md``.
"""
