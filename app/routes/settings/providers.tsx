import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { Bot, Plus } from "lucide-react";
import { AppError } from "~/core/errors";
import { listKeys } from "~/features/keys/keys.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { ActiveModels } from "~/features/models/components/active-models";
import { ProviderCard } from "~/features/models/components/provider-card";
import { ProviderDialog } from "~/features/models/components/provider-dialog";
import { ProviderForm, ProviderInput, toPatch } from "~/features/models/models.schema";
import { listModels } from "~/features/models/models.service.server";
import {
  createProvider,
  deleteProvider,
  listProviders,
  listProviderTypes,
  refreshModels,
  testProvider,
  updateProvider,
} from "~/features/models/providers.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen, submitForm } from "~/http/form.server";
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
    const [intent, id] = [form.get("intent"), String(form.get("id") ?? "")];
    for (const name of ["intent", "id"]) form.delete(name);
    const done = (title: string, description?: string) =>
      redirectWithToast(HERE, { kind: "success", title, ...(description ? { description } : {}) }, context);
    const failed = (error: unknown, title: string) => {
      if (!(error instanceof AppError)) throw error;
      return redirectWithToast(HERE, { kind: "error", title, description: error.message }, context);
    };
    switch (intent) {
      case "add-provider": {
        const sent = await submitForm(form, ProviderInput, context, (input) => createProvider(actor, input));
        if (!sent.done) return sent.answer;
        const { displayName, models } = sent.value;
        return done("Provider added", `${displayName} lists ${models.length} models.`);
      }
      case "save-provider": {
        const sent = await submitForm(form, ProviderForm, context, (input) =>
          updateProvider(actor, id, toPatch(input)),
        );
        return sent.done ? done("Provider saved", sent.value.displayName) : sent.answer;
      }
      case "toggle-provider":
        try {
          const { displayName, enabled } = await updateProvider(actor, id, {
            enabled: form.get("enabled") === "true",
          });
          return done(enabled ? "Provider enabled" : "Provider disabled", displayName);
        } catch (error) {
          return failed(error, "Failed to update provider");
        }
      case "delete-provider":
        try {
          deleteProvider(actor, id);
          return done("Provider deleted");
        } catch (error) {
          return failed(error, "Failed to delete provider");
        }
      case "refresh-provider":
        try {
          const { displayName, models } = await refreshModels(actor, id);
          return done("Models refreshed", `${displayName} lists ${models.length} models.`);
        } catch (error) {
          return failed(error, "Failed to refresh models");
        }
      case "test-provider":
        return { test: { id, ...(await testProvider(actor, id)) } };
      default:
        throw new AppError("invalid", "This form is not known here.");
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
