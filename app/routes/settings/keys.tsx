import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { KeyRound, Plus } from "lucide-react";
import { listKeyUses, removeKeyInUse } from "~/console/settings/key-uses.service.server";
import { keyPlace } from "~/core/env.server";
import { intent, screen } from "~/http/screen.server";
import { may } from "~/platform/rights/authorization.server";
import { AddKeyDialog, KeyOriginDialog } from "~/team/keys/components/add-key-dialog";
import { KeyList } from "~/team/keys/components/key-list";
import { KeyInput, KeyOriginInput, KeyRemoval } from "~/team/keys/keys.schema";
import { addKey, changeKeyOrigin, isKeyName, listKeys } from "~/team/keys/keys.service.server";
import { describeUses } from "~/team/keys/keys.shared";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog, RecordDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";
import { FAILURES } from "~/ui/failures";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { pageTitle, SectionHeader } from "~/ui/page-header";

export const meta = pageTitle("API Keys", "Settings");

const HERE = "/settings/keys";

const { loader, action } = screen({
  access: "keys.manage",
  load: ({ actor }) => ({
    keys: listKeys(actor),
    uses: listKeyUses(actor),
    mayChangeOrigin: may(actor, "keys.origin"),
    place: keyPlace(),
  }),
  actions: {
    "add-key": intent({
      access: "keys.manage",
      input: KeyInput,
      // May be a pasted key, which isn't echoed.
      hide: (form) => (isKeyName(String(form.get("alias") ?? "")) ? [] : ["alias"]),
      run: ({ actor, input }) => addKey(actor, input),
      done: "Key reference saved.",
    }),
    "change-origin": intent({
      access: "keys.manage",
      target: "id",
      input: KeyOriginInput,
      run: ({ actor, target, input }) => changeKeyOrigin(actor, target, input),
      done: "Key reference saved.",
    }),
    "remove-key": intent({
      access: "keys.manage",
      target: "id",
      input: KeyRemoval,
      run: ({ actor, target, input }) =>
        removeKeyInUse(actor, target, { confirmed: input.confirm === "in-use" }),
      done: "Key reference removed.",
      failed: { dialog: FAILURES.deleteKey },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams();

export { action, loader, shouldRevalidate };

const NO_KEY = "Key reference not found. It may have been removed.";

export default function Keys() {
  const { keys, uses, mayChangeOrigin, place } = useLoaderData<typeof loader>();
  const actionData = useActionData<typeof action>();
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  const selectedKey = keys.find((key) => key.id === search.get("id"));
  const inUse = uses.filter(({ keyId }) => keyId === selectedKey?.id);
  return (
    <section aria-labelledby="keys" className="flex flex-col gap-4">
      <SectionHeader
        id="keys"
        title="API Keys"
        subtitle="Reference environment variables by name. Keys stay on the server."
        actions={
          <LinkButton
            to="?dialog=add-key"
            preventScrollReset
            variant="primary"
            icon={<Plus aria-hidden="true" />}
          >
            Add Key
          </LinkButton>
        }
      />
      {keys.length === 0 ? (
        <EmptyState
          icon={<KeyRound />}
          title="No API keys configured"
          description="Add the name of the environment variable that holds a provider's key."
          action={
            <LinkButton to="?dialog=add-key" preventScrollReset>
              Add Key
            </LinkButton>
          }
        />
      ) : (
        <KeyList
          keys={keys}
          uses={uses}
          mayChangeOrigin={mayChangeOrigin}
          place={place}
          dialogTo={(name, id) => `?dialog=${name}&id=${encodeURIComponent(id)}`}
        />
      )}
      {dialog === "add-key" && <AddKeyDialog closeTo={HERE} result={actionData?.result} />}
      {dialog === "key-origin" && mayChangeOrigin && (
        <RecordDialog record={selectedKey} missing={NO_KEY} closeTo={HERE}>
          {(key) => (
            <KeyOriginDialog key={key.id} keyReference={key} closeTo={HERE} result={actionData?.result} />
          )}
        </RecordDialog>
      )}
      {dialog === "remove-key" && (
        <RecordDialog record={selectedKey} missing={NO_KEY} closeTo={HERE}>
          {({ id, alias }) => (
            <ConfirmDialog
              title={`Remove ${alias}?`}
              description={
                inUse.length > 0
                  ? `In use: ${describeUses(inUse)}. They stop working until you choose another key there. The environment variable stays.`
                  : "Nothing uses it. The environment variable stays."
              }
              closeTo={HERE}
              intent="remove-key"
              values={{ id, ...(inUse.length > 0 ? { confirm: "in-use" } : {}) }}
              confirmLabel={inUse.length > 0 ? "Remove Anyway" : "Remove"}
            />
          )}
        </RecordDialog>
      )}
    </section>
  );
}
