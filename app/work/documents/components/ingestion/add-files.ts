export interface PickedFile {
  file: File;
  path: string;
  problem?: string;
}

export function addFiles(existing: readonly PickedFile[], more: readonly PickedFile[]): PickedFile[] {
  const keyOf = ({ path, file }: PickedFile) => `${path} ${file.size} ${file.lastModified}`;
  const known = new Set(existing.map(keyOf));
  const added = more.filter((one) => {
    const key = keyOf(one);
    if (known.has(key)) return false;
    known.add(key);
    return true;
  });
  return [...existing, ...added];
}
