import { Form, useNavigation } from "@remix-run/react";
import { Eye, EyeOff, Pencil, Star, StarOff, Trash2 } from "lucide-react";
import { Badge } from "~/ui/badge";
import { Button, IconButton, IconLink } from "~/ui/button";
import { countOf, formatCount } from "~/ui/format";
import type { ManagedModel } from "../catalogue.schema";
import { formatPrice } from "./format";

export interface ModelAddresses {
  /** Where a model's forms post to. */
  post: string;
  /** Builds the address of a dialog about a model. */
  dialog: (dialog: "edit-model" | "remove-model", model: string) => string;
}

interface ManagedModelRowProps {
  model: ManagedModel;
  addresses: ModelAddresses;
}

const SOURCES: Record<ManagedModel["source"], string> = {
  huggingface: "Hugging Face",
  openrouter: "OpenRouter",
  custom: "Custom",
};

/** A discovered or custom model with what can be done to it. */
export function ManagedModelRow({ model, addresses }: ManagedModelRowProps) {
  const facts = [
    SOURCES[model.source],
    `${formatCount(model.maxTokens)} tokens`,
    model.cost.input !== null &&
      `${formatPrice(model.cost.input)} in, ${formatPrice(model.cost.output)} out per 1K`,
    model.downloads !== null && countOf(model.downloads, "download"),
    model.capabilities.join(", "),
  ].filter(Boolean);
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line px-4 py-3 not-last:border-b">
      <div className="flex min-w-0 flex-[1_1_20rem] flex-col gap-1">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="wrap-anywhere font-medium">{model.name}</span>
          <States model={model} />
        </p>
        {model.description && <p className="line-clamp-2 text-muted text-sm">{model.description}</p>}
        <p className="wrap-anywhere text-muted text-xs tabular-nums">
          {model.name !== model.id && (
            <>
              <span className="font-mono">{model.id}</span>
              {" · "}
            </>
          )}
          {facts.join(" · ")}
        </p>
      </div>
      <Actions model={model} addresses={addresses} />
    </li>
  );
}

function States({ model }: { model: ManagedModel }) {
  return (
    <>
      {model.callable && <Badge tone="success">Callable now</Badge>}
      {model.added && !model.callable && <Badge tone="info">Added, no provider serves it</Badge>}
      {model.recommended && <Badge tone="primary">Recommended</Badge>}
      {model.hidden && <Badge tone="warning">Hidden</Badge>}
      {model.fallback && <Badge tone="warning">Fallback</Badge>}
    </>
  );
}

function Actions({ model, addresses }: ManagedModelRowProps) {
  const navigation = useNavigation();
  const adding =
    navigation.formData?.get("intent") === "add-model" && navigation.formData.get("model") === model.id;
  return (
    <div className="flex items-center gap-1">
      <Form method="post" action={addresses.post} preventScrollReset className="flex items-center gap-1">
        <input type="hidden" name="model" value={model.id} />
        {!model.added && (
          <Button
            size="sm"
            name="intent"
            value="add-model"
            pending={adding}
            aria-label={`Add ${model.name}`}
            className="mr-1"
          >
            Add
          </Button>
        )}
        <IconButton
          name="intent"
          value={model.recommended ? "unrecommend-model" : "recommend-model"}
          label={`${model.recommended ? "Stop recommending" : "Recommend"} ${model.name}`}
          icon={model.recommended ? <StarOff /> : <Star />}
        />
        <IconButton
          name="intent"
          value={model.hidden ? "show-model" : "hide-model"}
          label={`${model.hidden ? "Show" : "Hide"} ${model.name}`}
          icon={model.hidden ? <Eye /> : <EyeOff />}
        />
      </Form>
      <IconLink
        to={addresses.dialog("edit-model", model.id)}
        preventScrollReset
        label={`Edit ${model.name}`}
        icon={<Pencil />}
      />
      {model.added && (
        <IconLink
          to={addresses.dialog("remove-model", model.id)}
          preventScrollReset
          label={`Remove ${model.name}`}
          icon={<Trash2 />}
        />
      )}
    </div>
  );
}
