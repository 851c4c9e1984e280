import type { ActionFunctionArgs, LoaderFunctionArgs } from "@remix-run/node";
import { useActionData, useLoaderData, useSearchParams } from "@remix-run/react";
import { authorise } from "~/features/members/authorisation.server";
import { AddModelDialog } from "~/features/models/components/add-model-dialog";
import { EditModelDialog } from "~/features/models/components/edit-model-dialog";
import { discoverModels } from "~/features/models/discovery.service.server";
import { CustomModelForm, ModelForm } from "~/features/models/model-forms.schema";
import { type ModelPatch, RoutingSettings } from "~/features/models/model-settings.schema";
import {
  addCustomModel,
  addModel,
  readRoutingSettings,
  removeModel,
  saveDefaultPolicy,
  saveModel,
} from "~/features/models/model-settings.service.server";
import { readEditedModel } from "~/features/models/model-views.service.server";
import { listProviders } from "~/features/models/providers.service.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen, submitForm } from "~/http/form.server";
import { orDialog, orToast, refuseIntent, takeField } from "~/http/intents.server";
import { parseWith } from "~/http/parse.server";
import { readForm } from "~/http/read-body.server";
import { redirectWithToast } from "~/http/toast.server";
import { ConfirmDialog } from "~/ui/confirm-dialog";

/** The screen around, with its filter and search but without this dialog. */
function screenOf(search: URLSearchParams, place: string): string {
  const kept = new URLSearchParams(search);
  for (const name of ["dialog", "model", "_data", "index", "_routes"]) kept.delete(name);
  return `/settings/providers${kept.size > 0 ? `?${kept}` : ""}${place}`;
}

export function loader({ request, context }: LoaderFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, () => {
    authorise(actor, "providers.manage");
    const id = new URL(request.url).searchParams.get("model");
    return {
      model: id ? readEditedModel(actor, id) : undefined,
      providers: listProviders(actor).map(({ id: value, displayName }) => ({ id: value, displayName })),
      policy: readRoutingSettings(actor).policy,
    };
  });
}

/** What one press changes about a model, and what is said of it. */
const TOGGLES: Record<string, { patch: ModelPatch; title: string } | undefined> = {
  "hide-model": { patch: { hidden: true }, title: "Model hidden" },
  "show-model": { patch: { hidden: false }, title: "Model shown" },
  "recommend-model": { patch: { recommended: true }, title: "Model recommended" },
  "unrecommend-model": { patch: { recommended: false }, title: "Model no longer recommended" },
};

export function action({ request, context }: ActionFunctionArgs) {
  const actor = requireScreenActor(request, context);
  return onScreen(context, async () => {
    authorise(actor, "providers.manage");
    const form = await readForm(request);
    const [intent, model] = [takeField(form, "intent"), takeField(form, "model")];
    const to = screenOf(new URL(request.url).searchParams, "#discovery");
    const done = (title: string, description?: string) =>
      redirectWithToast(to, { kind: "success", title, ...(description ? { description } : {}) }, context);
    const toggle = TOGGLES[intent];
    if (toggle) {
      return orToast(to, "Failed to update model", context, () => {
        saveModel(actor, model, toggle.patch);
        return done(toggle.title, model);
      });
    }
    switch (intent) {
      case "discover-models":
        return orToast(to, "Error", context, async () => {
          const { hubs } = await discoverModels(actor, { again: true });
          const failures = hubs.flatMap(({ message }) => message ?? []);
          const count = hubs.reduce((sum, hub) => sum + hub.count, 0);
          if (failures.length === 0) return done("Models discovered", `The hubs offer ${count} models.`);
          return redirectWithToast(
            to,
            { kind: "error", title: "Error", description: failures.join(" ") },
            context,
          );
        });
      case "add-model":
        return orToast(to, "Failed to add model", context, () => {
          addModel(actor, model);
          return done("Model Added", model);
        });
      case "add-custom-model": {
        const sent = await submitForm(form, CustomModelForm, context, (input) =>
          addCustomModel(actor, input),
        );
        return sent.done ? done("Model Added", "Custom model added successfully.") : sent.answer;
      }
      case "save-model": {
        const sent = await submitForm(form, ModelForm, context, (patch) => saveModel(actor, model, patch));
        return sent.done ? done("Model saved", model) : sent.answer;
      }
      case "remove-model":
        return orDialog(to, "Failed to remove model", context, () => {
          removeModel(actor, model);
          return done("Model removed", model);
        });
      case "save-policy":
        return orToast(to.replace("#discovery", "#routing"), "Failed to save routing", context, () => {
          saveDefaultPolicy(actor, parseWith(RoutingSettings, Object.fromEntries(form), "form").policy);
          return redirectWithToast(
            to.replace("#discovery", "#routing"),
            { kind: "success", title: "Routing saved" },
            context,
          );
        });
      default:
        return refuseIntent();
    }
  });
}

/** The dialogs about models, over the screen that the parent route shows. */
export default function ModelDialogs() {
  const { model, providers, policy } = useLoaderData<typeof loader>();
  const result = useActionData<typeof action>()?.result;
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  const shared = { providers, defaultPolicy: policy, closeTo: screenOf(search, ""), result };
  if (dialog === "add-model") return <AddModelDialog {...shared} />;
  if (!model) return null;
  if (dialog === "edit-model") return <EditModelDialog key={model.shown.id} {...model} {...shared} />;
  if (dialog !== "remove-model") return null;
  return (
    <ConfirmDialog
      title={`Remove ${model.shown.name}?`}
      description="It is no longer offered, and what was set about it is forgotten. Recorded usage stays."
      closeTo={shared.closeTo}
      intent="remove-model"
      values={{ model: model.shown.id }}
      confirmLabel="Remove"
    />
  );
}
