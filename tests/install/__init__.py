"""What a stranger installs, in fresh environments: by the commands of the Guide, and from the files of a release."""
