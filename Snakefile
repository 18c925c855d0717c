# The workflow is workflow/Snakefile; this file lets plain `snakemake` find it, with profiles/default beside it.
include: "workflow/Snakefile"
