import { useActionData, useOutletContext, useSearchParams } from "@remix-run/react";
import { discoverModels } from "~/ai/models/discovery.service.server";
import {
  CustomModelForm,
  type ModelDialogData,
  ModelForm,
  type ModelPatch,
  RoutingSettingsForm,
} from "~/ai/models/model-settings.schema";
import {
  addCustomModel,
  addModel,
  removeModel,
  saveModel,
  saveRouting,
} from "~/ai/models/model-settings.service.server";
import { intent, screen } from "~/http/screen.server";
import { ConfirmDialog, MissingDialog } from "~/ui/confirm-dialog";
import { countOf } from "~/ui/format";
import { lazyPart } from "~/ui/lazy-part";
import { LoadingDialog } from "~/ui/use-open-dialog";

/** Keeps filter and search. */
function screenOf(search: URLSearchParams, hash: string): string {
  const parameters = new URLSearchParams(search);
  for (const name of ["dialog", "model", "_data", "index", "_routes"]) parameters.delete(name);
  return `/settings/providers${parameters.size > 0 ? `?${parameters}` : ""}${hash}`;
}

const success = (title: string, description: string) => ({
  toast: { kind: "success" as const, title, description },
});

const toggle = (patch: ModelPatch, title: string) =>
  intent({
    access: "providers.manage",
    target: "model",
    run: ({ actor, target }) => saveModel(actor, target, patch),
    done: (_, { target }) => success(title, target),
    failed: { toast: "Failed to update model" },
  });

const { action } = screen({
  access: "providers.manage",
  actions: {
    "hide-model": toggle({ hidden: true }, "Model hidden"),
    "show-model": toggle({ hidden: false }, "Model shown"),
    "recommend-model": toggle({ recommended: true }, "Model recommended"),
    "unrecommend-model": toggle({ recommended: false }, "Model no longer recommended"),
    "discover-models": intent({
      access: "providers.manage",
      run: ({ actor }) => discoverModels(actor, { refresh: true }),
      done: ({ hubs }) => {
        const failures = hubs.flatMap(({ message }) => message ?? []);
        const count = hubs.reduce((sum, hub) => sum + hub.count, 0);
        if (failures.length === 0)
          return success("Models discovered", `The hubs offer ${countOf(count, "model")}.`);
        return { toast: { kind: "error", title: "Error", description: failures.join(" ") } };
      },
      failed: { toast: "Error" },
    }),
    "add-model": intent({
      access: "providers.manage",
      target: "model",
      run: ({ actor, target }) => addModel(actor, target),
      done: (_, { target }) => success("Model Added", target),
      failed: { toast: "Failed to add model" },
    }),
    "add-custom-model": intent({
      access: "providers.manage",
      input: CustomModelForm,
      run: ({ actor, input }) => addCustomModel(actor, input),
      done: () => success("Model Added", "Custom model added successfully."),
    }),
    "save-model": intent({
      access: "providers.manage",
      target: "model",
      input: ModelForm,
      run: ({ actor, target, input }) => saveModel(actor, target, input),
      done: (_, { target }) => success("Model saved", target),
    }),
    "remove-model": intent({
      access: "providers.manage",
      target: "model",
      run: ({ actor, target }) => removeModel(actor, target),
      done: (_, { target }) => success("Model removed", target),
      failed: { dialog: "Failed to remove model" },
    }),
    "save-policy": intent({
      access: "providers.manage",
      input: RoutingSettingsForm,
      run: ({ actor, input: { version, ...input } }) => saveRouting(actor, input, version),
      done: "Routing saved",
      failed: { toast: "Failed to save routing" },
      back: ({ url }) => screenOf(url.searchParams, "#routing"),
    }),
  },
  back: ({ url }) => screenOf(url.searchParams, "#discovery"),
});

export { action };

// Loaded on demand, as the dialog is rarely open.
const modelDialog = lazyPart(
  () => import("~/ai/models/components/model-dialog").then((module) => module.ModelDialog),
  "dialog[open]",
);

/** Dialogs over the parent route, with its data: a loader here would delay the address. */
export default function ModelDialogs() {
  const { model, missing, providers, policy, groups } = useOutletContext<ModelDialogData>();
  const result = useActionData<typeof action>()?.result;
  const [search] = useSearchParams();
  const dialog = search.get("dialog");
  const shared = { providers, groups, defaultPolicy: policy, closeTo: screenOf(search, ""), result };
  const loading = (title: string) => <LoadingDialog title={title} closeTo={shared.closeTo} />;
  if (dialog === "add-model") return <modelDialog.Part {...shared} fallback={loading("Add Custom Model")} />;
  if (missing) return <MissingDialog message={missing} closeTo={shared.closeTo} />;
  if (!model) return null;
  if (dialog === "edit-model")
    return (
      <modelDialog.Part
        key={model.model.id}
        edited={model}
        {...shared}
        fallback={loading(`Edit ${model.model.name}`)}
      />
    );
  if (dialog !== "remove-model") return null;
  return (
    <ConfirmDialog
      title={`Remove ${model.model.name}?`}
      description="It is no longer offered, and its settings are deleted. Recorded usage is kept."
      closeTo={shared.closeTo}
      intent="remove-model"
      values={{ model: model.model.id }}
      confirmLabel="Remove"
    />
  );
}
