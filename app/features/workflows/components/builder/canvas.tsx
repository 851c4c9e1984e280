export default function Canvas(_: { undo(): void; redo(): void; canUndo: boolean; canRedo: boolean }) {
  return null;
}
