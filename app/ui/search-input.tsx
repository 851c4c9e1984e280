import { Search } from "lucide-react";
import { type ComponentPropsWithRef, forwardRef } from "react";
import { cx } from "./class-names";
import { Input } from "./input";

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
