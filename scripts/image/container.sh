#!/bin/sh
# Makes a container of an image's files and becomes its first process. It runs in mount and PID namespaces of its own,
# which take all of it along when that process ends.
set -eu
image=$1 scratch=$2 data=$3 volume=$4 writable=$5
shift 5

# What a container writes beside its volume is gone with it.
mount -t tmpfs -o mode=0755 tmpfs "$scratch"
mkdir "$scratch/upper" "$scratch/work" "$scratch/root"
mount -t overlay -o "lowerdir=$image,upperdir=$scratch/upper,workdir=$scratch/work" overlay "$scratch/root"
cd "$scratch/root"

mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=0755 tmpfs dev
for device in null zero full random urandom; do
  touch "dev/$device"
  mount --bind "/dev/$device" "dev/$device"
done
ln -s /proc/self/fd dev/fd
mkdir -m 1777 dev/shm
mount --bind "$data" ".$volume"
if [ "$writable" = no ]; then
  mount -t tmpfs -o mode=1777 tmpfs tmp
  mount -o remount,bind,ro "$scratch/root"
fi
exec chroot . "$@"
