import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { Bot, Plus } from "lucide-react";
import { listKeys } from "~/features/keys/keys.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { ActiveModels } from "~/features/models/components/active-models";
import { ProviderCard } from "~/features/models/components/provider-card";
import { ProviderDialog } from "~/features/models/components/provider-dialog";
import { type Provider, ProviderForm, ProviderInput, toPatch } from "~/features/models/models.schema";
import { listModels } from "~/features/models/models.service.server";
import {
  createProvider,
  deleteProvider,
  listProviders,
  listProviderTypes,
  readProvider,
  refreshModels,
  testProvider,
  updateProvider,
} from "~/features/models/providers.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen, submitForm } from "~/http/form.server";
import { orToast, refuseIntent, takeField } from "~/http/intents.server";
import { redirectWithToast } from "~/http/toast.server";
import { LinkButton } from "~/ui/button";
import { ConfirmDialog } from "~/ui/confirm-dialog";
import { EmptyState } from "~/ui/empty-state";

const HERE = "/settings/providers";

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => ({
    providers: listProviders(actor),
    types: listProviderTypes(),
    keys: listKeys(actor),
    models: listModels(actor),
  }));
}

export function action({ request, context }: ActionFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, async () => {
    authorise(actor, "providers.manage");
    const form = await request.formData();
    const [intent, id] = [takeField(form, "intent"), takeField(form, "id")];
    const done = (title: string, description: string) =>
      redirectWithToast(HERE, { kind: "success", title, description }, context);
    const lists = ({ displayName, models }: Provider) => `${displayName} lists ${models.length} models.`;
    switch (intent) {
      case "add-provider": {
        const sent = await submitForm(form, ProviderInput, context, (input) => createProvider(actor, input));
        return sent.done ? done("Provider added", lists(sent.value)) : sent.answer;
      }
      case "save-provider": {
        const save = (input: ProviderForm) => updateProvider(actor, id, toPatch(input));
        const sent = await submitForm(form, ProviderForm, context, save);
        return sent.done ? done("Provider saved", lists(sent.value)) : sent.answer;
      }
      case "toggle-provider":
        return orToast(HERE, "Failed to update provider", context, async () => {
          const { displayName, enabled } = await updateProvider(actor, id, {
            enabled: form.get("enabled") === "true",
          });
          return done(enabled ? "Provider enabled" : "Provider disabled", displayName);
        });
      case "delete-provider":
        return orToast(HERE, "Failed to delete provider", context, () => {
          const { displayName } = readProvider(actor, id);
          deleteProvider(actor, id);
          return done("Provider deleted", displayName);
        });
      case "refresh-provider":
        return orToast(HERE, "Failed to refresh models", context, async () =>
          done("Models refreshed", lists(await refreshModels(actor, id))),
        );
      case "test-provider":
        return { test: { id, ...(await testProvider(actor, id)) } };
      default:
        return refuseIntent();
    }
  });
}

export default function Providers() {
  const { providers, types, keys, models } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  const named = providers.find((provider) => provider.id === search.get("id"));
  const test = answer && "test" in answer ? answer.test : undefined;
  const result = answer && "result" in answer ? answer.result : undefined;
  return (
    <div className="flex flex-col gap-8">
      <section aria-labelledby="providers" className="flex flex-col gap-4">
        <header className="flex flex-wrap items-center justify-between gap-3">
          <h2 id="providers" className="text-md">
            AI Model Providers
          </h2>
          <LinkButton
            to="?dialog=add-provider"
            preventScrollReset
            variant="primary"
            icon={<Plus aria-hidden="true" />}
          >
            Add Provider
          </LinkButton>
        </header>
        {providers.length === 0 ? (
          <EmptyState
            icon={<Bot />}
            title="No providers configured"
            description="A provider serves the models that chat, personas and workflows use. Until there is one, the built-in stand-in answers."
            action={
              <LinkButton to="?dialog=add-provider" preventScrollReset variant="primary">
                Add First Provider
              </LinkButton>
            }
          />
        ) : (
          <div className="grid gap-4 md:grid-cols-2 2xl:grid-cols-3">
            {providers.map((provider) => (
              <ProviderCard
                key={provider.id}
                provider={provider}
                type={types.find((type) => type.value === provider.provider)}
                test={test?.id === provider.id ? test : undefined}
                dialogTo={(name) => `?dialog=${name}&id=${encodeURIComponent(provider.id)}`}
              />
            ))}
          </div>
        )}
      </section>
      <ActiveModels
        models={models}
        providers={Object.fromEntries(providers.map((provider) => [provider.id, provider.displayName]))}
        showAll={search.get("models") === "all"}
        allTo="?models=all"
      />
      {dialog === "add-provider" && (
        <ProviderDialog types={types} keys={keys} closeTo={HERE} result={result} />
      )}
      {dialog === "edit-provider" && named && (
        <ProviderDialog
          key={named.id}
          types={types}
          keys={keys}
          provider={named}
          closeTo={HERE}
          result={result}
        />
      )}
      {dialog === "delete-provider" && named && (
        <ConfirmDialog
          title={`Delete ${named.displayName}?`}
          description={`Its ${named.models.length} models can no longer be called through it. Recorded usage stays.`}
          closeTo={HERE}
          intent="delete-provider"
          values={{ id: named.id }}
          confirmLabel="Delete"
        />
      )}
    </div>
  );
}
