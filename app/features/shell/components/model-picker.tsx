import { useFetcher, useLocation } from "@remix-run/react";
import { modelOptions, type OfferedModel } from "~/features/models/model-options.shared";
import { Button } from "~/ui/button";
import { GroupedOptions } from "~/ui/grouped-options";
import { Select } from "~/ui/input";

interface ModelPickerProps {
  models: readonly OfferedModel[];
  selected: string;
  /** Receives the choice, on a screen with its own model. */
  action?: string | undefined;
  /** Updates the screen at once. */
  onPick?: ((model: string) => void) | undefined;
}

/** Sets the session's model and the preferred one. Without JavaScript, a button submits it. */
export function ModelPicker({ models, selected, action = "/model", onPick }: ModelPickerProps) {
  const location = useLocation();
  const fetcher = useFetcher({ key: "model-picker" });
  // A screen with its own model may have changed it again since.
  const chosen = onPick ? undefined : fetcher.formData?.get("model");
  return (
    <fetcher.Form method="post" action={action} className="flex min-w-0 items-center gap-2">
      <input type="hidden" name="returnTo" value={location.pathname + location.search} />
      <input type="hidden" name="intent" value={action === "/model" ? "submit" : "model"} />
      <label htmlFor="model-picker" className="sr-only">
        Model
      </label>
      <Select
        id="model-picker"
        name="model"
        value={typeof chosen === "string" ? chosen : selected}
        className="w-28 sm:w-48 lg:w-60 [&>select]:border-line [&>select]:bg-raised!"
        onChange={(event) => {
          onPick?.(event.target.value);
          const choice = new FormData(event.currentTarget.form ?? undefined);
          // A redirect would cancel a started navigation.
          choice.delete("returnTo");
          fetcher.submit(choice, { method: "post", action, preventScrollReset: true });
        }}
      >
        <GroupedOptions options={modelOptions(models)} chosen={selected} />
      </Select>
      <noscript>
        <Button size="sm">Use</Button>
      </noscript>
    </fetcher.Form>
  );
}
