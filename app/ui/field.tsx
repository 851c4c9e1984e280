import { CircleAlert } from "lucide-react";
import { createContext, type ReactNode, useContext, useId } from "react";
import { cx } from "./class-names";

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

/** Props that an input gets from its Field; its own props win. */
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
