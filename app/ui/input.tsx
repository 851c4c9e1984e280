import { ChevronDown, Search } from "lucide-react";
import { type ComponentPropsWithRef, forwardRef } from "react";
import { cx } from "./class-names";
import { useFieldProps } from "./field";

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

export function HiddenFields({ values }: { values: Record<string, string> | undefined }) {
  return Object.entries(values ?? {}).map(([name, value]) => (
    <input key={name} type="hidden" name={name} value={value} />
  ));
}

interface GroupedOption {
  value: string;
  label: string;
  group?: string;
}

interface GroupedOptionsProps {
  options: readonly GroupedOption[];
  /** Kept as an option if it is gone from the list. */
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

type SearchInputProps = Omit<ComponentPropsWithRef<"input">, "type" | "className"> & {
  className?: string;
};

export const SearchInput = forwardRef<HTMLInputElement, SearchInputProps>(function SearchInput(
  { className, ...rest },
  ref,
) {
  return (
    <span className={cx("relative", className)}>
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <Input ref={ref} type="search" maxLength={200} className="pl-8" {...rest} />
    </span>
  );
});
