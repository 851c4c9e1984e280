import { Select } from "~/ui/input";
import type { ConversationFolder } from "../../list/list.schema";

interface FolderSelectProps {
  folders: readonly ConversationFolder[];
  value?: string;
  label?: string;
}

export function FolderSelect({ folders, value = "", label = "Folder" }: FolderSelectProps) {
  return (
    <Select name="folderId" aria-label={label} defaultValue={value} className="w-40">
      <option value="">No folder</option>
      {folders.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}
