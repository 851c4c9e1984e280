import { Form, useNavigation } from "@remix-run/react";
import { Boxes, Eye, EyeOff, Pencil, Star, StarOff, Trash2 } from "lucide-react";
import type { ReactNode } from "react";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { countOf, formatCount } from "~/ui/format";
import { Row } from "~/ui/row";
import type { RowAction } from "~/ui/row-actions";
import type { ConfiguredModel } from "../catalogue.schema";
import { formatPrice } from "./format";

export interface ModelAddresses {
  post: string;
  dialog: (dialog: "edit-model" | "remove-model", model: string) => string;
}

interface ConfiguredModelRowProps {
  model: ConfiguredModel;
  addresses: ModelAddresses;
}

const SOURCES: Record<ConfiguredModel["source"], string> = {
  huggingface: "Hugging Face",
  openrouter: "OpenRouter",
  custom: "Custom",
};

export function ConfiguredModelRow({ model, addresses }: ConfiguredModelRowProps) {
  const facts = [
    model.name !== model.id && model.id,
    SOURCES[model.source],
    `${formatCount(model.maxTokens)} tokens`,
    model.cost.input !== null &&
      `${formatPrice(model.cost.input)} in, ${formatPrice(model.cost.output)} out per 1K`,
    model.downloads !== null && countOf(model.downloads, "download"),
    model.capabilities.join(", "),
  ].filter(Boolean);
  return (
    <Row
      name={model.name}
      icon={<Boxes aria-hidden="true" />}
      meta={facts.join(" · ")}
      details={
        model.description && (
          <p className="truncate text-muted text-xs" title={model.description}>
            {model.description}
          </p>
        )
      }
      badges={<States model={model} />}
      aside={!model.added && <AddButton model={model} post={addresses.post} />}
      actions={actionsFor(model, addresses)}
    />
  );
}

function States({ model }: { model: ConfiguredModel }) {
  return (
    <>
      {model.callable && <Badge tone="success">Available</Badge>}
      {model.added && !model.callable && <Badge tone="info">Added, no provider</Badge>}
      {model.recommended && <Badge tone="primary">Recommended</Badge>}
      {model.hidden && <Badge tone="warning">Hidden</Badge>}
      {model.fallback && <Badge tone="warning">Fallback</Badge>}
    </>
  );
}

function AddButton({ model, post }: { model: ConfiguredModel; post: string }) {
  const navigation = useNavigation();
  const adding =
    navigation.formData?.get("intent") === "add-model" && navigation.formData.get("model") === model.id;
  return (
    <Form method="post" action={post} preventScrollReset>
      <input type="hidden" name="model" value={model.id} />
      <Button size="sm" name="intent" value="add-model" pending={adding} aria-label={`Add ${model.name}`}>
        Add
      </Button>
    </Form>
  );
}

function actionsFor(model: ConfiguredModel, { post, dialog }: ModelAddresses): RowAction[] {
  const change = (label: string, icon: ReactNode, intent: string) => ({
    label,
    icon,
    post,
    values: { intent, model: model.id },
  });
  return [
    { label: "Edit", icon: <Pencil />, to: dialog("edit-model", model.id) },
    model.recommended
      ? change("Stop Recommending", <StarOff />, "unrecommend-model")
      : change("Recommend", <Star />, "recommend-model"),
    model.hidden ? change("Show", <Eye />, "show-model") : change("Hide", <EyeOff />, "hide-model"),
    ...(model.added ? [{ label: "Remove", icon: <Trash2 />, to: dialog("remove-model", model.id) }] : []),
  ];
}
