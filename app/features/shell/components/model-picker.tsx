import { useFetcher, useLocation } from "@remix-run/react";
import { Button } from "~/ui/button";
import { Select } from "~/ui/input";

interface ModelChoice {
  id: string;
  name: string;
  provider: string;
  enhanced: boolean;
}

interface ModelPickerProps {
  models: ModelChoice[];
  /** The id of the model in use. */
  selected: string;
}

/** Chooses the model for this browser session and as the person's preference. Sends itself; a button does without script. */
export function ModelPicker({ models, selected }: ModelPickerProps) {
  const location = useLocation();
  const fetcher = useFetcher({ key: "model-picker" });
  const chosen = fetcher.formData?.get("model");
  const providers = [...new Set(models.map((model) => model.provider))];
  return (
    <fetcher.Form method="post" action="/model" className="flex min-w-0 items-center gap-2">
      <input type="hidden" name="returnTo" value={location.pathname + location.search} />
      <label htmlFor="model-picker" className="sr-only">
        Model
      </label>
      <Select
        key={selected}
        id="model-picker"
        name="model"
        defaultValue={typeof chosen === "string" ? chosen : selected}
        className="w-32 sm:w-48 lg:w-60 [&>select]:border-line [&>select]:bg-raised!"
        onChange={(event) => fetcher.submit(event.currentTarget.form)}
      >
        {!models.some((model) => model.id === selected) && <option value={selected}>{selected}</option>}
        {providers.map((provider) => (
          <optgroup key={provider} label={provider}>
            {models
              .filter((model) => model.provider === provider)
              .map((model) => (
                <option key={`${provider} ${model.id}`} value={model.id}>
                  {model.name}
                  {model.enhanced ? " · MCP" : ""}
                </option>
              ))}
          </optgroup>
        ))}
      </Select>
      <noscript>
        <Button size="sm">Use</Button>
      </noscript>
    </fetcher.Form>
  );
}
