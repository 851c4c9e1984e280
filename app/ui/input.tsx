import { ChevronDown, CircleAlert } from "lucide-react";
import {
  type ComponentPropsWithRef,
  createContext,
  forwardRef,
  type ReactNode,
  useContext,
  useId,
} from "react";
import { cx } from "./class-names";

const FRAME =
  "w-full min-w-0 rounded-md border border-line border-b-edge bg-sunken px-3 text-ink text-sm transition-colors hover:border-edge " +
  "focus-visible:border-focus focus-visible:outline-offset-0 aria-invalid:border-danger-ink disabled:cursor-not-allowed disabled:opacity-60 " +
  "[&[readonly]]:border-line [&[readonly]]:border-dashed [&[readonly]]:bg-transparent [&[readonly]]:text-muted pointer-coarse:text-md";

const FILE =
  "file:mr-3 file:-ml-1.5 file:rounded-sm file:border file:border-line file:bg-raised file:px-2.5 file:py-1 file:font-medium " +
  "file:text-ink cursor-pointer py-1 text-muted hover:file:bg-hover";

export const Input = forwardRef<HTMLInputElement, ComponentPropsWithRef<"input">>(function Input(
  { className, type = "text", ...rest },
  ref,
) {
  const props = useFieldProps(rest);
  return (
    <input
      ref={ref}
      type={type}
      className={cx(FRAME, type === "file" ? FILE : "h-9 pointer-coarse:h-11", className)}
      {...props}
    />
  );
});

export const Textarea = forwardRef<HTMLTextAreaElement, ComponentPropsWithRef<"textarea">>(function Textarea(
  { className, rows = 4, ...rest },
  ref,
) {
  const props = useFieldProps(rest);
  return <textarea ref={ref} rows={rows} className={cx(FRAME, "py-2 leading-5", className)} {...props} />;
});

export const Select = forwardRef<HTMLSelectElement, ComponentPropsWithRef<"select">>(function Select(
  { className, children, ...rest },
  ref,
) {
  const props = useFieldProps(rest);
  return (
    <span className={cx("relative flex min-w-0 items-center", className)}>
      <select
        ref={ref}
        className={cx(FRAME, "h-9 appearance-none truncate pr-8 pointer-coarse:h-11")}
        {...props}
      >
        {children}
      </select>
      <ChevronDown aria-hidden="true" className="pointer-events-none absolute right-2.5 size-4 text-muted" />
    </span>
  );
});

/** Those that are undefined are left out. */
export function HiddenFields({ values }: { values: Record<string, string | undefined> | undefined }) {
  return Object.entries(values ?? {}).map(
    ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
  );
}

interface GroupedOption {
  value: string;
  label: string;
  group?: string;
}

interface GroupedOptionsProps {
  options: readonly GroupedOption[];
  chosen?: string | undefined;
}

export function GroupedOptions({ options, chosen = "" }: GroupedOptionsProps) {
  const isListed = chosen === "" || options.some(({ value }) => value === chosen);
  const groups = [...new Set(options.map(({ group }) => group ?? ""))];
  return (
    <>
      {!isListed && <option value={chosen}>{chosen} (not available)</option>}
      {groups.map((group) => {
        const own = options
          .filter((option) => (option.group ?? "") === group)
          .map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ));
        return group === "" ? (
          own
        ) : (
          <optgroup key={group} label={group}>
            {own}
          </optgroup>
        );
      })}
    </>
  );
}

interface FieldContext {
  id: string;
  name: string | undefined;
  describedBy: string | undefined;
  invalid: boolean;
  required: boolean;
}

const Context = createContext<FieldContext | undefined>(undefined);

interface FieldProps {
  label: ReactNode;
  name?: string;
  id?: string;
  error?: string | string[] | undefined;
  hint?: ReactNode;
  required?: boolean;
  hideLabel?: boolean;
  className?: string;
  children: ReactNode;
}

export function Field({
  label,
  name,
  id,
  error,
  hint,
  required = false,
  hideLabel,
  className,
  children,
}: FieldProps) {
  const ownId = useId();
  const own = id ?? ownId;
  const message = Array.isArray(error) ? error[0] : error;
  const describedBy = cx(message && `${own}-error`, hint != null && `${own}-hint`) || undefined;
  return (
    <Context.Provider value={{ id: own, name, describedBy, invalid: message !== undefined, required }}>
      <div className={cx("flex min-w-0 flex-col gap-1.5", className)}>
        <label htmlFor={own} className={hideLabel ? "sr-only" : "font-medium text-ink text-sm"}>
          {label}
          {required && (
            <span aria-hidden="true" className="ml-0.5 text-danger-ink">
              *
            </span>
          )}
        </label>
        {children}
        {message && <FieldError id={`${own}-error`}>{message}</FieldError>}
        {hint != null && (
          <p id={`${own}-hint`} className="text-pretty text-muted text-xs">
            {hint}
          </p>
        )}
      </div>
    </Context.Provider>
  );
}

export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p id={id} role="alert" className="flex items-start gap-1.5 text-danger-ink text-xs">
      <CircleAlert aria-hidden="true" className="mt-px size-3.5 shrink-0" />
      <span>{children}</span>
    </p>
  );
}

interface InputAttributes {
  id?: string | undefined;
  name?: string | undefined;
  required?: boolean | undefined;
  "aria-describedby"?: string | undefined;
  "aria-invalid"?: boolean | "true" | "false" | "grammar" | "spelling" | undefined;
}

export function useFieldProps<T extends InputAttributes>(props: T): T {
  const field = useContext(Context);
  if (!field) return props;
  return {
    ...props,
    id: props.id ?? field.id,
    name: props.name ?? field.name,
    // `required` would show the browser's message.
    "aria-required": field.required || undefined,
    "aria-invalid": props["aria-invalid"] ?? (field.invalid || undefined),
    "aria-describedby": field.describedBy ?? props["aria-describedby"],
  };
}
