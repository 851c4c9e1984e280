import { useFetcher, useLocation } from "@remix-run/react";
import { modelOptions, type OfferedModel } from "~/ai/models/model-options.shared";
import { Button } from "~/ui/button";
import { GroupedOptions, Select } from "~/ui/input";

interface ModelPickerProps {
  models: readonly OfferedModel[];
  selected: string;
}

/** Sets the session's model and the preferred one. Without JavaScript, a button submits it. */
export function ModelPicker({ models, selected }: ModelPickerProps) {
  const location = useLocation();
  const fetcher = useFetcher({ key: "model-picker" });
  const chosen = fetcher.formData?.get("model");
  return (
    <fetcher.Form method="post" action="/model" className="flex min-w-0 items-center gap-2">
      <input type="hidden" name="returnTo" value={location.pathname + location.search} />
      <label htmlFor="model-picker" className="sr-only">
        Model
      </label>
      <Select
        id="model-picker"
        name="model"
        value={typeof chosen === "string" ? chosen : selected}
        className="w-28 sm:w-48 lg:w-60 [&>select]:border-line [&>select]:bg-raised!"
        onChange={(event) => {
          const choice = new FormData(event.currentTarget.form ?? undefined);
          // A redirect would cancel a started navigation.
          choice.delete("returnTo");
          fetcher.submit(choice, { method: "post", action: "/model", preventScrollReset: true });
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
