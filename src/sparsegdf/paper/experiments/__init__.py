"""What the paper and we compute: from samples to tables."""
