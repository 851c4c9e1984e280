import { Form, useActionData, useLoaderData, useNavigation } from "@remix-run/react";
import { Upload } from "lucide-react";
import { intent, screen } from "~/http/screen.server";
import { useLiveTopics } from "~/platform/events/components/use-live-topics";
import { Button, LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { Field, Input } from "~/ui/input";
import { BackLink, PageHeader, pageTitle } from "~/ui/page-header";
import { ImportList } from "~/work/chat/components/import-list";
import { IMPORT_UPLOAD_LIMITS } from "~/work/chat/transfer/imports.schema";
import { cancelImport, listImports, startImport } from "~/work/chat/transfer/imports.service.server";

export const meta = pageTitle("Import Conversations");

const { loader, action } = screen({
  access: "chat.use",
  load: ({ actor }) => ({ imports: listImports(actor) }),
  actions: {
    submit: intent({
      access: "chat.use",
      upload: IMPORT_UPLOAD_LIMITS,
      run: ({ actor, parts }) => startImport(actor, parts),
      done: ({ fileName }) => `Importing ${fileName}`,
      failed: { dialog: "Couldn't import the file" },
    }),
    cancel: intent({
      access: "chat.use",
      target: "id",
      run: ({ actor, target }) => cancelImport(actor, target),
      done: "Import canceled",
      failed: { toast: "Couldn't cancel the import" },
    }),
  },
});

export { action, loader };

export default function ImportConversations() {
  const { imports } = useLoaderData<typeof loader>();
  const failed = useActionData<typeof action>()?.failed;
  const pending = useNavigation().formEncType === "multipart/form-data";
  const isRunning = imports.some(({ state }) => state === "running");
  useLiveTopics(["conversation-imports"]);
  return (
    <div className="mx-auto max-w-4xl">
      <PageHeader
        title="Import Conversations"
        subtitle="Import conversations from ChatGPT, Claude, Open WebUI and others"
        actions={<BackLink to="/chat/all">All Conversations</BackLink>}
      />
      <div className="flex flex-col gap-4">
        <Card title="File">
          <Form
            method="post"
            encType="multipart/form-data"
            reloadDocument
            noValidate
            className="flex flex-col gap-4"
          >
            <p className="text-muted">
              Choose an export of ChatGPT or Claude as you downloaded it, of Open WebUI, LobeChat or
              LibreChat, or one made here. Text is imported with all its branches; attachments and tool calls
              are skipped. Conversations that you imported before are skipped.
            </p>
            <Field
              label="Export"
              name="file"
              hint="Choose a .zip or .json file of at most 2 GB"
              error={failed?.description}
              required
            >
              <Input type="file" accept=".zip,.json,application/zip,application/json" />
            </Field>
            <div className="flex justify-end">
              <Button variant="primary" pending={pending} icon={<Upload aria-hidden="true" />}>
                Import
              </Button>
            </div>
          </Form>
        </Card>
        {imports.length > 0 && (
          <section aria-labelledby="imports">
            <div className="mb-2 flex items-center justify-between gap-2">
              <h2 id="imports" className="text-md">
                Imports
              </h2>
              {isRunning && (
                <LinkButton to="/chat/import" size="sm" className="scripted:hidden">
                  Refresh
                </LinkButton>
              )}
            </div>
            <ImportList imports={imports} />
          </section>
        )}
      </div>
    </div>
  );
}
