"""List the summarizing recipes (schema.pipeline.prompting) and what each needs.

A recipe that a model writes may have a fourth part that draws drafts and takes one.

Examples:
  globesumm recipes
  globesumm summarize documents.jsonl --recipe sts.none.extractive --out runs/sts

"""

import argparse

from globesumm.cli.main import DONE


def add_arguments(parser: argparse.ArgumentParser) -> None:
    del parser


def run(options: argparse.Namespace) -> int:
    del options
    from baselines.recipes import DEFAULT, describe, describe_drafts

    rows = [*describe(), *describe_drafts()]
    width = max(len(row.name) for row in rows)
    for row in rows:
        needs = "needs a model; " if row.needs_model else ""
        default = " (the default)" if row.name == DEFAULT else ""
        print(f"{row.name:<{width}}  {needs}{row.about}{default}")
    return DONE
