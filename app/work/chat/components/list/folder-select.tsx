import { Select } from "~/ui/input";
import type { ConversationFolder } from "../../list/list.schema";

interface FolderSelectProps {
  folders: readonly ConversationFolder[];
  value?: string;
  /** Without it the select stands in a field. */
  label?: string;
  className?: string;
}

export function FolderSelect({ folders, value = "", label, className }: FolderSelectProps) {
  return (
    <Select name="folderId" aria-label={label} defaultValue={value} className={className}>
      <option value="">No folder</option>
      {folders.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}
