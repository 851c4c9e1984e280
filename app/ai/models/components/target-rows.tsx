import { FieldError, Input, Select } from "~/ui/input";

/** Rows to add at once; more with each opening. */
const EMPTY_ROWS = 4;
const MAX_ROWS = 20;

interface TargetRowsProps {
  legend: string;
  hint: string;
  targets: readonly { providerId: string; model: string }[];
  providers: readonly { id: string; displayName: string }[];
  errors: Record<string, string[]>;
}

/** Empty rows are ignored; a further one appears once those before it are filled. */
export function TargetRows({ legend, hint, targets, providers, errors }: TargetRowsProps) {
  const length = Math.min(MAX_ROWS, targets.length + EMPTY_ROWS);
  const whole = errors["routing.targets"]?.[0];
  return (
    <fieldset>
      <legend className="font-medium text-ink text-sm">{legend}</legend>
      <p className="mb-2 text-muted text-xs">{hint}</p>
      {whole && <FieldError>{whole}</FieldError>}
      <ol className="spare-rows flex flex-col gap-4 sm:gap-2">
        {Array.from({ length }, (_, index) => (
          <TargetRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place in the form and has no other identity.
            key={index}
            index={index}
            target={targets[index]}
            providers={providers}
            errors={errors}
          />
        ))}
      </ol>
    </fieldset>
  );
}

interface TargetRowProps extends Pick<TargetRowsProps, "providers" | "errors"> {
  index: number;
  target: { providerId: string; model: string } | undefined;
}

function TargetRow({ index, target, providers, errors }: TargetRowProps) {
  const base = `routing.targets[${index}]`;
  const [provider, model] = [`${base}.providerId`, `${base}.model`];
  const message = errors[provider]?.[0] ?? errors[model]?.[0] ?? errors[base]?.[0];
  const described = message ? `target-${index}-error` : undefined;
  const gone = target?.providerId && !providers.some(({ id }) => id === target.providerId);
  return (
    <li className="flex flex-col gap-1">
      <div className="grid gap-2 sm:grid-cols-2">
        <Select
          name={provider}
          defaultValue={target?.providerId ?? ""}
          aria-label={`Provider ${index + 1}`}
          aria-invalid={errors[provider] ? true : undefined}
          aria-describedby={described}
        >
          <option value="">No provider</option>
          {providers.map(({ id, displayName }) => (
            <option key={id} value={id}>
              {displayName}
            </option>
          ))}
          {gone && <option value={target.providerId}>Deleted provider</option>}
        </Select>
        <Input
          name={model}
          defaultValue={target?.model ?? ""}
          placeholder="Provider's model ID"
          aria-label={`Model ID at provider ${index + 1}`}
          aria-invalid={errors[model] ? true : undefined}
          aria-describedby={described}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
      </div>
      {message && <FieldError id={`target-${index}-error`}>{message}</FieldError>}
    </li>
  );
}
