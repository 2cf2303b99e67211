"""The changes of objects between two trees of files: equal ones of many spokes are one."""
