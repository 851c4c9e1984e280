import { Form } from "@remix-run/react";
import { FailedNotice } from "~/ui/confirm-dialog";
import { Dialog, FormActions } from "~/ui/dialog";
import type { Plugin } from "../plugins.schema";
import { AlsoIncludes, Part, RequestsList, ToolList } from "./plugin-contents";

export function InstallDialog({ plugin, closeTo }: { plugin: Plugin; closeTo: string }) {
  const { title, installed, version } = plugin;
  return (
    <Dialog
      title={installed ? `Review ${title}` : `Install ${title}?`}
      description={
        installed
          ? "This version requests new permissions. Accept them to use its tools again."
          : "Installing it accepts these permissions. This is recorded in the audit log."
      }
      closeTo={closeTo}
    >
      <FailedNotice className="mb-4" />
      <div className="flex flex-col gap-5">
        <RequestsList plugin={plugin} />
        <Part title="Tools for chat, personas and workflows">
          <ToolList tools={plugin.tools} />
        </Part>
        <AlsoIncludes plugin={plugin} />
      </div>
      <Form method="post" preventScrollReset>
        <input type="hidden" name="id" value={plugin.id} />
        <input type="hidden" name="version" value={version} />
        <FormActions
          closeTo={closeTo}
          intent={installed ? "agree" : "install"}
          label={installed ? "Accept" : "Install"}
        />
      </Form>
    </Dialog>
  );
}
