import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { Outlet, useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { listKeys } from "~/features/keys/keys.service.server";
import { authorise } from "~/features/members/authorisation.server";
import { ManagedQuery } from "~/features/models/catalogue.schema";
import { ActiveModels } from "~/features/models/components/active-models";
import { ModelDiscovery } from "~/features/models/components/model-discovery";
import { ProviderDialog } from "~/features/models/components/provider-dialog";
import { ProviderList } from "~/features/models/components/provider-list";
import { RoutingCard } from "~/features/models/components/routing-card";
import { listProviderStatus } from "~/features/models/health.service.server";
import { listManagedModels } from "~/features/models/managed-models.service.server";
import { ProviderMove } from "~/features/models/model-settings.schema";
import { readRoutingSettings } from "~/features/models/model-settings.service.server";
import { listActiveModels } from "~/features/models/model-views.service.server";
import { type Provider, ProviderForm, ProviderInput, toPatch } from "~/features/models/models.schema";
import {
  createProvider,
  deleteProvider,
  listProviders,
  listProviderTypes,
  moveProvider,
  offeredProviders,
  readProvider,
  refreshModels,
  testProvider,
  updateProvider,
} from "~/features/models/providers.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen, submitForm } from "~/http/form.server";
import { orDialog, orToast, refuseIntent, takeField } from "~/http/intents.server";
import { parseWith } from "~/http/parse.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast } from "~/http/toast.server";
import { ConfirmDialog } from "~/ui/confirm-dialog";

const HERE = "/settings/providers";
const MODELS = `${HERE}/models`;

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => {
    authorise(actor, "providers.manage");
    const query = ManagedQuery.parse(Object.fromEntries(new URL(request.url).searchParams));
    return {
      providers: listProviders(actor),
      types: listProviderTypes(),
      keys: listKeys(actor),
      offers: offeredProviders(actor),
      health: listProviderStatus(actor),
      policy: readRoutingSettings(actor).policy,
      query,
      managed: listManagedModels(actor, query),
      managedTotal: listManagedModels(actor, ManagedQuery.parse({})).length,
      models: listActiveModels(actor),
    };
  });
}

export function action({ request, context }: ActionFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, async () => {
    authorise(actor, "providers.manage");
    const form = await readForm(request);
    const [intent, id] = [takeField(form, "intent"), takeField(form, "id")];
    const done = (title: string, description: string) =>
      redirectWithToast(HERE, { kind: "success", title, description }, context);
    const lists = ({ displayName, models }: Provider) => `${displayName} lists ${models.length} models.`;
    switch (intent) {
      case "add-provider": {
        const sent = await submitForm(form, ProviderInput, context, (input) => createProvider(actor, input));
        return sent.done ? done("Provider added", lists(sent.value)) : sent.answer;
      }
      case "add-offered":
        return orToast(HERE, "Failed to create provider", context, async () => {
          const { provider, displayName, baseUrl } = Object.fromEntries(form);
          const input = parseWith(ProviderInput, { provider, displayName, config: { baseUrl } }, "form");
          return done("Provider added", lists(await createProvider(actor, input)));
        });
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
      case "move-provider":
        return orToast(HERE, "Failed to move provider", context, () => {
          const { direction } = parseWith(ProviderMove, Object.fromEntries(form), "form");
          moveProvider(actor, id, direction);
          return done("Order saved", `${readProvider(actor, id).displayName} moved ${direction}.`);
        });
      case "delete-provider":
        return orDialog(HERE, "Failed to delete provider", context, () => {
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
  const { providers, types, keys, offers, health, policy, query, managed, managedTotal, models } =
    useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>();
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  const named = providers.find((provider) => provider.id === search.get("id"));
  const test = answer && "test" in answer ? answer.test : undefined;
  const result = answer && "result" in answer ? answer.result : undefined;
  /** An address with the filter, the search and what is unfolded kept. */
  const to = (path: string, change: Record<string, string>) => {
    const { filter, search: words } = query;
    const shown = { ...(filter === "all" ? {} : { filter }), ...(words ? { search: words } : {}) };
    const unfolded = Object.fromEntries(
      ["models", "managed"].flatMap((name) => (search.has(name) ? [[name, "all"]] : [])),
    );
    const kept = new URLSearchParams({ ...shown, ...unfolded, ...change });
    return kept.size > 0 ? `${path}?${kept}` : path;
  };
  const modelDialog = (name: string, model: string) => to(MODELS, { dialog: name, model });
  return (
    <div className="flex flex-col gap-10">
      <ProviderList providers={providers} types={types} offers={offers} health={health} test={test} />
      <RoutingCard policy={policy} action={to(MODELS, {})} />
      <ModelDiscovery
        models={managed}
        total={managedTotal}
        filter={query.filter}
        search={query.search}
        showAll={search.get("managed") === "all"}
        addresses={{
          post: to(MODELS, {}),
          dialog: modelDialog,
          filter: `${HERE}#discovery`,
          all: to(HERE, { managed: "all" }),
          add: to(MODELS, { dialog: "add-model" }),
          catalogue: `${HERE}/catalogue`,
        }}
      />
      <ActiveModels
        models={models}
        showAll={search.get("models") === "all"}
        allTo={to(HERE, { models: "all" })}
        editTo={(model) => modelDialog("edit-model", model)}
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
      <Outlet />
    </div>
  );
}
