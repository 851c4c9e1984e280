import { ConfirmDialog } from "~/ui/confirm-dialog";
import type { Plugin } from "../plugins.schema";
import { BringsList, ToolList } from "./plugin-contents";

interface UninstallDialogProps {
  plugin: Plugin;
  users: { personas: string[]; workflows: string[] };
  closeTo: string;
}

const CONSEQUENCES = "Its tools are removed immediately. Its settings are kept for 30 days";
const MCP_CONSEQUENCES =
  "Its tools are removed immediately, and a connected account is signed out. Its address and allowed tools are kept for 30 days";
const SHOWN = 5;
const names = (list: readonly string[]) =>
  new Intl.ListFormat("en-US", { type: "conjunction" }).format(
    list.length > SHOWN ? [...list.slice(0, SHOWN), `${list.length - SHOWN} more`] : list,
  );

/** Lists the tools, contributions and users that are affected. */
export function UninstallDialog({ plugin, users, closeTo }: UninstallDialogProps) {
  const { personas, workflows } = users;
  return (
    <ConfirmDialog
      title={`Uninstall ${plugin.title}?`}
      description={`${plugin.kind === "mcp" ? MCP_CONSEQUENCES : CONSEQUENCES}, in case you install it again.`}
      closeTo={closeTo}
      intent="uninstall"
      values={{ id: plugin.id }}
      confirmLabel="Uninstall"
    >
      <div className="mb-2 flex flex-col gap-4">
        <ToolList tools={plugin.tools} />
        <BringsList plugin={plugin} />
        {personas.length > 0 && <p>Personas that continue without its tools: {names(personas)}.</p>}
        {workflows.length > 0 && <p>Workflows whose next run fails without its tools: {names(workflows)}.</p>}
      </div>
    </ConfirmDialog>
  );
}
