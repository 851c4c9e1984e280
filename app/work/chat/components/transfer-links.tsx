import { FileCode, FileJson, FileText, Share2 } from "lucide-react";
import { MenuLink } from "~/ui/menu";

export function ConversationTransferLinks({ id }: { id: string }) {
  const exportTo = (format: string) => `/chat/${id}/export?format=${format}`;
  return (
    <>
      <MenuLink to={`/chat/${id}/share`} icon={<Share2 />}>
        Share
      </MenuLink>
      <MenuLink to={exportTo("markdown")} reloadDocument icon={<FileText />}>
        Export as Markdown
      </MenuLink>
      <MenuLink to={exportTo("json")} reloadDocument icon={<FileJson />}>
        Export as JSON
      </MenuLink>
      <MenuLink to={exportTo("html")} reloadDocument icon={<FileCode />}>
        Export as HTML
      </MenuLink>
    </>
  );
}
