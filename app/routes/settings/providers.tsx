import { Outlet, useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { ConfiguredQuery } from "~/ai/models/catalogue.schema";
import {
  countConfiguredModels,
  listActiveModels,
  listConfiguredModels,
  readEditedModel,
} from "~/ai/models/catalogue.service.server";
import { ActiveModels } from "~/ai/models/components/active-models";
import { ModelDiscovery } from "~/ai/models/components/model-discovery";
import { ProviderList } from "~/ai/models/components/provider-list";
import { RoutingCard } from "~/ai/models/components/routing-card";
import { listProviderStatus } from "~/ai/models/health.service.server";
import { listImageModels } from "~/ai/models/images.service.server";
import { type ModelDialogData, ProviderMove } from "~/ai/models/model-settings.schema";
import { readRoutingForm } from "~/ai/models/model-settings.service.server";
import { type Provider, ProviderForm, ProviderInput, ProviderSwitch } from "~/ai/models/models.schema";
import { offerModels } from "~/ai/models/models.service.server";
import {
  createProvider,
  deleteProvider,
  listDetectedProviders,
  listProviderChoices,
  listProviders,
  moveProvider,
  readProvider,
  refreshModels,
  testProvider,
  updateProvider,
} from "~/ai/models/providers.service.server";
import { keyPlace } from "~/core/env.server";
import { findOrExplain, intent, screen } from "~/http/screen.server";
import { may } from "~/platform/rights/authorization.server";
import { listKeyReferences, offerVariables } from "~/team/keys/keys.service.server";
import { listGroupNames } from "~/team/members/groups.service.server";
import { ConfirmDialog, MissingDialog } from "~/ui/confirm-dialog";
import { FAILURES } from "~/ui/failures";
import { countOf } from "~/ui/format";
import { ignoreDialogParams } from "~/ui/ignore-dialog-params";
import { pageTitle } from "~/ui/page-header";
import { LoadingDialog, lazyDialog, useOpenDialog } from "~/ui/use-open-dialog";

export const meta = pageTitle("Providers", "Settings");

const ProviderDialog = lazyDialog(
  () => import("~/ai/models/components/provider-dialog").then((module) => module.ProviderDialog),
  ({ provider, closeTo }) => ({
    title: provider ? `Edit ${provider.displayName}` : "Add Provider",
    closeTo,
    size: "lg",
  }),
);

const HERE = "/settings/providers";
const MODELS = `${HERE}/models`;

const success = (title: string, description: string) => ({
  toast: { kind: "success" as const, title, description },
});
/** What was done, or that the provider can't respond yet and why. */
const saved = (title: string, { displayName, models, problem }: Provider) =>
  problem === undefined
    ? success(title, `${displayName} lists ${countOf(models.length, "model")}.`)
    : {
        toast: { kind: "error" as const, title: `${title}, but it can't be used yet`, description: problem },
      };

const { loader, action } = screen({
  access: "providers.manage",
  query: ConfiguredQuery,
  load: ({ actor, query, url }) => ({
    edited: url.searchParams.get("model")
      ? findOrExplain(() => readEditedModel(actor, url.searchParams.get("model") ?? ""))
      : {},
    providers: listProviders(actor),
    types: listProviderChoices(actor),
    keys: may(actor, "keys.manage") ? listKeyReferences(actor) : [],
    variables: may(actor, "keys.manage") ? offerVariables(actor) : [],
    place: keyPlace(),
    detected: listDetectedProviders(actor),
    health: listProviderStatus(actor),
    routing: readRoutingForm(actor),
    offered: offerModels(actor),
    imageModels: listImageModels(actor),
    query,
    managed: listConfiguredModels(actor, query),
    managedTotal: countConfiguredModels(actor),
    models: listActiveModels(actor),
    groups: listGroupNames(actor),
  }),
  actions: {
    "add-provider": intent({
      access: "providers.manage",
      input: ProviderInput,
      run: ({ actor, input }) => createProvider(actor, input, { isTested: true }),
      done: (provider) => saved("Provider added", provider),
    }),
    "add-untested": intent({
      access: "providers.manage",
      input: ProviderInput,
      run: ({ actor, input }) => createProvider(actor, input),
      done: (provider) => saved("Provider added", provider),
    }),
    "add-detected": intent({
      access: "providers.manage",
      input: ProviderInput,
      run: ({ actor, input }) => createProvider(actor, input, { isTested: true }),
      done: (provider) => saved("Provider added", provider),
      failed: { toast: FAILURES.createProvider },
    }),
    "save-provider": intent({
      access: "providers.manage",
      target: "id",
      input: ProviderForm,
      run: ({ actor, target, input }) => updateProvider(actor, target, input),
      done: (provider) => saved("Provider saved", provider),
    }),
    "toggle-provider": intent({
      access: "providers.manage",
      target: "id",
      input: ProviderSwitch,
      run: ({ actor, target, input }) => updateProvider(actor, target, input),
      done: ({ enabled, displayName }) =>
        success(enabled ? "Provider enabled" : "Provider disabled", displayName),
      failed: { toast: FAILURES.updateProvider },
    }),
    "move-provider": intent({
      access: "providers.manage",
      target: "id",
      input: ProviderMove,
      run: ({ actor, target, input: { direction } }) => {
        moveProvider(actor, target, direction);
        return readProvider(actor, target);
      },
      done: ({ displayName }, { input }) =>
        success("Order saved", `${displayName} moved ${input.direction}.`),
      failed: { toast: "Failed to move provider" },
    }),
    "delete-provider": intent({
      access: "providers.manage",
      target: "id",
      run: ({ actor, target }) => {
        const provider = readProvider(actor, target);
        deleteProvider(actor, target);
        return provider;
      },
      done: ({ displayName }) => success("Provider deleted", displayName),
      failed: { dialog: FAILURES.deleteProvider },
    }),
    "refresh-provider": intent({
      access: "providers.manage",
      target: "id",
      run: ({ actor, target }) => refreshModels(actor, target),
      done: (provider) => saved("Models refreshed", provider),
      failed: { toast: "Failed to refresh models" },
    }),
    "test-provider": intent({
      access: "providers.manage",
      target: "id",
      run: ({ actor, target }) => testProvider(actor, target),
      done: (tested, { target }) => ({ show: { id: target, ...tested } }),
      failed: { toast: "Failed to test provider" },
    }),
  },
});

const shouldRevalidate = ignoreDialogParams({ names: ["dialog", "id", "model"], showsMissing: true });

export { action, loader, shouldRevalidate };

export default function Providers() {
  const loaded = useLoaderData<typeof loader>();
  const { edited, providers, types, keys, variables, place, detected, health, routing, offered } = loaded;
  const { query, managed, managedTotal, models, groups, imageModels } = loaded;
  const actionData = useActionData<typeof action>();
  const [search] = useSearchParams();
  // Opens dialogs before their route has loaded.
  const opened = useOpenDialog(providers, { loads: ["edit-model", "remove-model"], below: MODELS });
  const dialog = opened.search.get("dialog");
  const opening =
    opened.isLoading && dialog !== null ? openingTitle(dialog, opened.search, managed) : undefined;
  const selected = providers.find((provider) => provider.id === search.get("id"));
  const test = actionData?.shown;
  const result = actionData?.result;
  const isMissing = !selected && (dialog === "edit-provider" || dialog === "delete-provider");
  const keepsTyped = isMissing && dialog === "edit-provider" && result !== undefined;
  /** Keeps filter, search and expanded parts. */
  const to = (path: string, change: Record<string, string>) => {
    const { filter, search: words } = query;
    const filters = { ...(filter === "all" ? {} : { filter }), ...(words ? { search: words } : {}) };
    const expanded = Object.fromEntries(
      ["models", "managed"].flatMap((name) => (search.has(name) ? [[name, "all"]] : [])),
    );
    const parameters = new URLSearchParams({ ...filters, ...expanded, ...change });
    return parameters.size > 0 ? `${path}?${parameters}` : path;
  };
  const closeTo = to(HERE, {});
  const modelDialog = (name: string, model: string) => to(MODELS, { dialog: name, model });
  const modelData: ModelDialogData = {
    model: edited.selected,
    missing: edited.missing,
    providers: providers.map(({ id, displayName }) => ({ id, displayName })),
    policy: routing.policy,
    groups,
  };
  return (
    <div className="flex flex-col gap-10">
      <ProviderList
        providers={providers}
        types={types}
        detected={detected}
        health={health}
        test={test}
        dialogTo={(name, id) => to(HERE, { dialog: name, ...(id === undefined ? {} : { id }) })}
      />
      <RoutingCard
        {...routing}
        hasPolicy={providers.length > 1}
        models={offered}
        imageModels={imageModels}
        action={to(MODELS, {})}
      />
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
        <ProviderDialog {...{ types, keys, variables, place, closeTo, result }} />
      )}
      {isMissing && !opened.isLoading && !keepsTyped && (
        <MissingDialog message="Provider not found. It may have been deleted." closeTo={closeTo} />
      )}
      {dialog === "edit-provider" && (selected || keepsTyped) && (
        <ProviderDialog
          key={search.get("id")}
          {...{ types, keys, variables, place, closeTo, result, isMissing }}
          provider={selected}
        />
      )}
      {dialog === "delete-provider" && selected && (
        <ConfirmDialog
          title={`Delete ${selected.displayName}?`}
          description={`No model can be called through it any more; it has ${countOf(selected.models.length, "model")}. Recorded usage is kept.`}
          closeTo={closeTo}
          intent="delete-provider"
          values={{ id: selected.id }}
          confirmLabel="Delete"
        />
      )}
      {opening ? <LoadingDialog title={opening} closeTo={closeTo} /> : <Outlet context={modelData} />}
    </div>
  );
}

/** Title while the dialog's route loads. */
function openingTitle(
  dialog: string,
  search: URLSearchParams,
  models: readonly { id: string; name: string }[],
): string | undefined {
  if (dialog === "add-model") return "Add Custom Model";
  const id = search.get("model");
  const name = models.find((model) => model.id === id)?.name ?? id;
  if (dialog === "edit-model") return `Edit ${name}`;
  return dialog === "remove-model" ? `Remove ${name}?` : undefined;
}
