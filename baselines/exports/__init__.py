"""Runs in the forms of other tools: Inspect's logs and tasks, data sets of the Hugging Face hub."""

from baselines.exports.outputs import Cell, Output, cells_of

__all__ = ["Cell", "Output", "cells_of"]
