"""The work of all jobs of the paper run, by rule (expected.py says what that is), for reference/work.csv.

The first screen of another run scales the costs of the reference by it.
"""

from collections import defaultdict

from expected import work
from status import plan

if __name__ == "__main__":
    sizes = defaultdict(list)
    for job in plan(None).jobs:
        if job.log and (size := work(job)):
            sizes[job.rule.name].append(size)
    print("rule,jobs,work")
    for rule, works in sorted(sizes.items()):
        print(f"{rule},{len(works)},{sum(works):.4g}")
