import { FailedNotice } from "~/ui/confirm-dialog";
import { FormDialog } from "~/ui/form-dialog";
import type { Plugin } from "../plugins.schema";
import { AlsoIncludes, Part, RequestsList, ToolList } from "./plugin-contents";

export function InstallDialog({ plugin, closeTo }: { plugin: Plugin; closeTo: string }) {
  const { title, installed, version } = plugin;
  return (
    <FormDialog
      title={installed ? `Review ${title}` : `Install ${title}?`}
      description={
        installed
          ? "This version requests new permissions. Accept them to use its tools again."
          : "Installing it accepts these permissions. This is recorded in the audit log."
      }
      closeTo={closeTo}
      above={<FailedNotice className="mb-4" />}
      hidden={{ id: plugin.id, version }}
      intent={installed ? "agree" : "install"}
      label={installed ? "Accept" : "Install"}
    >
      <div className="flex flex-col gap-5">
        <RequestsList plugin={plugin} />
        <Part title="Tools for chat, personas and workflows">
          <ToolList tools={plugin.tools} />
        </Part>
        <AlsoIncludes plugin={plugin} />
      </div>
    </FormDialog>
  );
}
