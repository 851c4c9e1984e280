import { Form } from "@remix-run/react";
import { Search } from "lucide-react";
import { type ComponentPropsWithRef, forwardRef } from "react";
import { Button } from "./button";
import { cx } from "./class-names";
import { Input } from "./input";

type SearchInputProps = Omit<ComponentPropsWithRef<"input">, "type" | "className"> & {
  /** Of the frame around icon and field. */
  className?: string;
};

/** A search field with its icon; at most 200 characters. */
export const SearchInput = forwardRef<HTMLInputElement, SearchInputProps>(function SearchInput(
  { className, ...rest },
  ref,
) {
  return (
    <span className={cx("relative", className)}>
      <Search className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted" />
      <Input ref={ref} type="search" maxLength={200} className="pl-8" {...rest} />
    </span>
  );
});

interface FindFormProps {
  action: string;
  label: string;
  find: string;
}

/** Searches the list of a page by its parameter `find`. */
export function FindForm({ action, label, find }: FindFormProps) {
  return (
    <Form role="search" action={action} className="mb-4 flex max-w-md gap-2">
      <Input
        key={find}
        type="search"
        name="find"
        defaultValue={find}
        maxLength={100}
        aria-label={label}
        placeholder={label}
      />
      <Button icon={<Search />}>Search</Button>
    </Form>
  );
}
