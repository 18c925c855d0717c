"""One file per penalty."""
