import { Form, useActionData } from "@remix-run/react";
import { Dialog, FormActions } from "~/ui/dialog";
import { Notice } from "~/ui/notice";
import type { Plugin } from "../plugins.schema";
import { BringsList, bringsOf } from "./brings-list";
import { RequestsList } from "./requests-list";
import { ToolList } from "./tool-list";

interface Refused {
  failed?: { title: string; description: string };
}

export function InstallDialog({ plugin, closeTo }: { plugin: Plugin; closeTo: string }) {
  const failed = useActionData<Refused>()?.failed;
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
      {failed && (
        <Notice kind="danger" title={failed.title} className="mb-4">
          {failed.description}
        </Notice>
      )}
      <div className="flex flex-col gap-5">
        <RequestsList plugin={plugin} />
        <section>
          <h3 className="mb-2 text-sm">Tools for chat, personas and workflows</h3>
          <ToolList tools={plugin.tools} />
        </section>
        {bringsOf(plugin).length > 0 && (
          <section>
            <h3 className="mb-2 text-sm">Also Includes</h3>
            <BringsList plugin={plugin} />
          </section>
        )}
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
