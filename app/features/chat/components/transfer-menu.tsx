import { FileCode, FileJson, FileText, Share2, Upload, Users } from "lucide-react";
import { Menu, MenuLink } from "~/ui/menu";

/** What can be done with a conversation of one's own outside of it, as entries of a menu. */
function ConversationTransferLinks({ id }: { id: string }) {
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

/** Sharing, export and import, from the header of the chat. */
export function TransferMenu({ id }: { id: string | undefined }) {
  return (
    <Menu
      label="Share, export and import"
      button={<Share2 aria-hidden="true" className="size-4" />}
      buttonClassName="grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-hover hover:text-ink pointer-coarse:size-11"
    >
      {id !== undefined && <ConversationTransferLinks id={id} />}
      <MenuLink to="/chat/shared" icon={<Users />}>
        Shared with Me
      </MenuLink>
      <MenuLink to="/chat/import" icon={<Upload />}>
        Import
      </MenuLink>
    </Menu>
  );
}
