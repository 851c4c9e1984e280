import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { KeyRound, Plus } from "lucide-react";
import { AddKeyDialog, KeyOriginDialog } from "~/features/keys/components/add-key-dialog";
import { KeyList } from "~/features/keys/components/key-list";
import { KeyInput, KeyOriginInput } from "~/features/keys/keys.schema";
import { addKey, changeKeyOrigin, isKeyName, listKeys, removeKey } from "~/features/keys/keys.service.server";
import { authorise, may } from "~/features/members/authorisation.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen, submitForm } from "~/http/form.server";
import { orDialog, refuseIntent, takeField } from "~/http/intents.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast } from "~/http/toast.server";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";

const HERE = "/settings/keys";

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => ({ keys: listKeys(actor), mayMove: may(actor, "keys.origin") }));
}

export function action({ request, context }: ActionFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, async () => {
    authorise(actor, "keys.manage");
    const form = await readForm(request);
    const [intent, id] = [takeField(form, "intent"), takeField(form, "id")];
    const done = (title: string) => redirectWithToast(HERE, { kind: "success", title }, context);
    switch (intent) {
      case "add-key": {
        // What isn't an allowed name may be a pasted key: it doesn't go back into the page.
        const hide = isKeyName(String(form.get("alias") ?? "")) ? [] : ["alias"];
        const sent = await submitForm(form, KeyInput, context, (input) => addKey(actor, input), { hide });
        return sent.done ? done("Key reference saved.") : sent.answer;
      }
      case "change-origin": {
        const sent = await submitForm(form, KeyOriginInput, context, (input) =>
          changeKeyOrigin(actor, id, input),
        );
        return sent.done ? done("Key reference saved.") : sent.answer;
      }
      case "remove-key":
        return orDialog(
          HERE,
          "Delete failed",
          context,
          () => {
            removeKey(actor, id);
            return done("Key reference removed.");
          },
          (detail) => `Failed to delete API key: ${detail}`,
        );
      default:
        return refuseIntent();
    }
  });
}

export default function Keys() {
  const { keys, mayMove } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  const named = keys.find((key) => key.id === search.get("id"));
  return (
    <section aria-labelledby="keys" className="flex flex-col gap-4">
      <header className="flex flex-wrap items-center justify-between gap-3">
        <div>
          <h2 id="keys" className="text-md">
            API Keys
          </h2>
          <p className="text-muted">
            Names of environment variables. The keys themselves stay on the server.
          </p>
        </div>
        <LinkButton
          to="?dialog=add-key"
          preventScrollReset
          variant="primary"
          icon={<Plus aria-hidden="true" />}
        >
          Add Key
        </LinkButton>
      </header>
      {keys.length === 0 ? (
        <EmptyState
          icon={<KeyRound />}
          title="No API keys configured"
          description="Reference the environment variable that holds a provider's key."
          action={
            <LinkButton to="?dialog=add-key" preventScrollReset variant="primary">
              Add Key
            </LinkButton>
          }
        />
      ) : (
        <KeyList
          keys={keys}
          mayMove={mayMove}
          dialogTo={(name, id) => `?dialog=${name}&id=${encodeURIComponent(id)}`}
        />
      )}
      {dialog === "add-key" && <AddKeyDialog closeTo={HERE} result={answer?.result} />}
      {dialog === "key-origin" && named && mayMove && (
        <KeyOriginDialog key={named.id} keyReference={named} closeTo={HERE} result={answer?.result} />
      )}
      {dialog === "remove-key" && named && (
        <ConfirmDialog
          title={`Remove ${named.alias}?`}
          description="Providers that use it can't be called until they have another key. The environment variable itself stays."
          closeTo={HERE}
          intent="remove-key"
          values={{ id: named.id }}
          confirmLabel="Remove"
        />
      )}
    </section>
  );
}
