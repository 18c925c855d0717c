"""`make archive`: one zip of a finished run for a repository such as Zenodo, build/sparsegdf-<version>-<run>.zip.

It has the code at the commit, and of the run the figures, tables, claims, notebooks, summaries, costs and manifest,
not the chunks of samples. ro-crate-metadata.json (Workflow Run RO-Crate) lists every file with its size and SHA-256,
and every job with what it was made from and what it made, chunks included. Equal files, with equal times, give equal
bytes.
"""

import argparse
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.rocrate import ROCrate
from status import plan

CHUNK = re.compile(r"/\d{6}-\d{6}\.parquet$")
METADATA, MAIN = "ro-crate-metadata.json", "workflow/Snakefile"
PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": ("Process Run Crate", "0.5"),
    "https://w3id.org/ro/wfrun/workflow/0.5": ("Workflow Run Crate", "0.5"),
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": ("Workflow RO-Crate", "1.0"),
}
LICENCE = "https://spdx.org/licenses/MIT"
FORMATS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python",
    ".svg": "image/svg+xml",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
    ".yml": "application/yaml",
}


def main(configfile, target="all"):
    if changed := git("status", "--porcelain").decode():
        sys.exit(f"The code is archived as it is at the commit, and these files are not committed:\n{changed}")
    jobs = finished_jobs(configfile, target)
    run = sorted({path for job in jobs for path in job.output})
    (name,) = {Path(path).parts[1] for path in run if path.startswith("results/")}
    kept = [path for path in run if not CHUNK.search(path)]
    kept += [path for path in (f"results/{name}/{file}.csv" for file in ("costs", "manifest")) if Path(path).exists()]
    files = code() | {path: (Path(path).read_bytes(), 0o644) for path in kept}
    metadata = described(jobs, files, name, configfile or Path("config/paper.yaml"))
    text = json.dumps(metadata, indent=1, ensure_ascii=False) + "\n"
    files[METADATA] = (text.encode(), 0o644)
    target = Path(f"build/sparsegdf-{version()}-{name}.zip")
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(zipped(files))
    print(f"{target}: {len(files)} files, {target.stat().st_size / 1e6:.1f} MB")


def finished_jobs(configfile, target):
    """The jobs of the run, if each of its files is there and made by this code."""
    dag = plan(configfile, target)
    jobs = sorted((job for job in dag.jobs if job.output), key=lambda job: job.output[0])
    if stale := [job.output[0] for job in jobs if dag.needrun(job)]:
        sys.exit(f"The run is not finished: {len(stale)} jobs are to be run, first {stale[0]} (see make status)")
    return jobs


def git(*words):
    return subprocess.run(["git", *words], check=True, capture_output=True).stdout


def code():
    """{path: (content, mode)} of the files at the commit."""
    with tarfile.open(fileobj=io.BytesIO(git("archive", "HEAD"))) as tar:
        return {m.name: (tar.extractfile(m).read(), m.mode & 0o755) for m in tar.getmembers() if m.isfile()}


def version():
    return yaml.safe_load(Path("CITATION.cff").read_text(encoding="utf-8"))["version"]


def commit_time():
    return datetime.fromtimestamp(int(git("log", "-1", "--format=%ct")), UTC)


def zipped(files):
    """The bytes of a zip, the files sorted and all of the time of the commit."""
    date, buffer = commit_time().timetuple()[:6], io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            content, mode = files[path]
            info = zipfile.ZipInfo(path, date)
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
            archive.writestr(info, content)
    return buffer.getvalue()


def facts(content):
    """What is said of a file: its size and its digest."""
    return {"contentSize": str(len(content)), "sha256": hashlib.sha256(content).hexdigest()}


def ended(paths):
    """When the last of these files was written, to the second."""
    return datetime.fromtimestamp(int(max(Path(path).stat().st_mtime for path in paths)), UTC).isoformat()


def described(jobs, files, name, configfile):
    """The metadata of the crate: its files, the run as one action, and each job as an action of its own."""
    citation = yaml.safe_load(Path("CITATION.cff").read_text(encoding="utf-8"))
    crate = ROCrate(version="1.1")
    crate.name = f"{citation['title']}, run {name}"
    crate.description = " ".join(citation["abstract"].split())
    crate.license = crate.add(ContextEntity(crate, LICENCE, {"@type": "CreativeWork", "name": "MIT License"}))
    crate.datePublished = commit_time()
    (author,) = (author["name"] for author in citation["authors"])
    crate.creator = crate.publisher = crate.root_dataset["author"] = crate.add(
        ContextEntity(crate, "#authors", {"@type": "Organization", "name": author})
    )
    entities = add_files(crate, jobs, files)
    crate.root_dataset["conformsTo"] = [
        crate.add(ContextEntity(crate, profile, {"@type": "CreativeWork", "name": title, "version": number}))
        for profile, (title, number) in PROFILES.items()
    ]
    made = [path for path in files if path in {path for job in jobs for path in job.output}]
    whole = {
        "@type": "CreateAction",
        "name": f"the run {name}",
        "description": f"snakemake --configfile {configfile}, at commit {git('rev-parse', 'HEAD').decode().strip()}",
        "endTime": ended(made),
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }
    action = crate.add(ContextEntity(crate, f"#run-{name}", whole))
    action["agent"], action["instrument"] = crate.creator, crate.mainEntity
    settings = [entities[path] for path in dict.fromkeys(("config/paper.yaml", str(configfile)))]
    action["object"] = [*settings, entities["requirements.lock"]]
    action["result"] = [entities[path] for path in made]
    actions = [action, *(add_job(crate, job, entities, settings) for job in jobs)]
    crate.root_dataset["mentions"] = actions
    return crate.metadata.generate()


def add_files(crate, jobs, files):
    """{path: entity} of every file in the archive and of the chunks that are not in it."""
    scripts, entities = {script_of(job) for job in jobs}, {}
    for path in sorted(files):
        said = facts(files[path][0]) | {"name": path}
        if suffix := FORMATS.get(Path(path).suffix):
            said["encodingFormat"] = suffix
        if path == MAIN:
            entity = crate.add_workflow(dest_path=path, main=True, lang="snakemake", properties=said)
            entity["license"], entity["creator"], entity["version"] = crate.license, crate.creator, version()
        else:
            if path in scripts:
                said |= {"@type": ["File", "SoftwareSourceCode"], "version": version()}
            entity = crate.add_file(dest_path=path, properties=said)
            if path == "README.md":
                entity["about"] = crate.root_dataset
        entities[path] = entity
    for path in sorted({path for job in jobs for path in (*job.input, *job.output)} - set(entities)):
        said = facts(Path(path).read_bytes()) | {"name": path, "@type": "CreativeWork"}
        said["description"] = "not in this archive: the workflow makes it again"
        entities[path] = crate.add(ContextEntity(crate, f"#{path}", said))
    return entities


def script_of(job):
    """The script that a job runs, as a path in the project."""
    return str((Path(str(job.rule.basedir)) / job.rule.script).resolve().relative_to(Path.cwd()))


def add_job(crate, job, entities, settings):
    """A job: its script, the settings and files that it was made from, and what it made."""
    said = {
        "@type": "CreateAction",
        "name": job.rule.name,
        "description": f"rule {job.rule.name} made {', '.join(job.output)}",
        "endTime": ended(job.output),
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }
    action = crate.add(ContextEntity(crate, f"#job-{job.output[0]}", said))
    action["agent"], action["instrument"] = crate.creator, entities[script_of(job)]
    action["object"] = [*settings, *(entities[path] for path in job.input)]
    made = [entities[path] for path in job.output]
    action["result"] = made if len(made) > 1 else made[0]
    return action


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--configfile", type=Path, help="the configuration of the run; config/paper.yaml without it")
    main(parser.parse_args().configfile)
