"""The tables of a run, which have the rows of all of its penalties."""


def by_penalty(table):
    """{penalty: its rows}, in the order of the table and without the column `penalty`."""
    groups = table.groupby("penalty", sort=False)
    return {name: rows.drop(columns="penalty").reset_index(drop=True) for name, rows in groups}
