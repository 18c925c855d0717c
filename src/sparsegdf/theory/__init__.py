"""The replica theory: RS saddle points, one-step RSB, prediction error."""
