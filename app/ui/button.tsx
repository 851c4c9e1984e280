import { Link, type LinkProps } from "@remix-run/react";
import { LoaderCircle } from "lucide-react";
import { type ComponentPropsWithRef, forwardRef, type MouseEvent, type ReactNode } from "react";
import { cx } from "./class-names";
import { Tooltip } from "./tooltip";

type Variant = "primary" | "secondary" | "ghost" | "danger";
type Size = "sm" | "md" | "lg";

interface ButtonStyle {
  variant?: Variant;
  size?: Size;
  icon?: ReactNode;
}

const VARIANTS: Record<Variant, string> = {
  primary: "bg-primary-solid text-on-solid hover:bg-primary-solid-hover shadow-card forced-colors:border",
  secondary:
    "border border-line bg-button text-ink shadow-card hover:bg-[color-mix(in_oklab,var(--color-button),var(--ink)_5%)]",
  ghost: "text-muted hover:bg-hover hover:text-ink",
  danger: "bg-danger-solid text-on-solid hover:bg-danger-solid-hover shadow-card forced-colors:border",
};

const SIZES: Record<Size, string> = {
  sm: "min-h-8 px-2.5",
  md: "min-h-9 px-3.5",
  lg: "min-h-11 px-5 text-md",
};

function buttonClasses({ variant = "secondary", size = "md" }: ButtonStyle, className?: string): string {
  return cx(
    "inline-flex shrink-0 items-center justify-center gap-2 rounded-md py-1 font-medium text-sm transition-colors pointer-coarse:min-h-11",
    "disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0",
    VARIANTS[variant],
    SIZES[size],
    className,
  );
}

type ButtonProps = ComponentPropsWithRef<"button"> & ButtonStyle & { pending?: boolean };

/** For a button that takes the place of another one, as Stop that of Start: a double click there isn't meant for it. */
export function onlyFirstPress(event: MouseEvent<HTMLButtonElement>): void {
  if (event.detail > 1) event.preventDefault();
}

export const Button = forwardRef<HTMLButtonElement, ButtonProps>(function Button(
  { variant, size, icon, pending, className, children, onClick, type = "submit", ...rest },
  ref,
) {
  return (
    <button
      ref={ref}
      type={type}
      className={buttonClasses({ variant, size }, className)}
      aria-disabled={pending || undefined}
      onClick={(event) => {
        if (pending) event.preventDefault();
        else onClick?.(event);
      }}
      {...rest}
    >
      {pending ? <Spinner /> : icon}
      {children}
    </button>
  );
});

export function LinkButton({ variant, size, icon, className, children, ...rest }: LinkProps & ButtonStyle) {
  return (
    <Link className={buttonClasses({ variant, size }, className)} {...rest}>
      {icon}
      {children}
    </Link>
  );
}

const SQUARE = "min-w-8 px-0 aspect-square pointer-coarse:min-w-11 print:hidden";

type IconButtonProps = Omit<ButtonProps, "children" | "icon"> & { label: string; icon: ReactNode };

export const IconButton = forwardRef<HTMLButtonElement, IconButtonProps>(function IconButton(
  { label, variant = "ghost", size = "sm", className, ...rest },
  ref,
) {
  return (
    <Tooltip text={label}>
      <Button
        ref={ref}
        aria-label={label}
        variant={variant}
        size={size}
        className={cx(SQUARE, className)}
        {...rest}
      />
    </Tooltip>
  );
});

type IconLinkProps = Omit<LinkProps, "children"> & ButtonStyle & { label: string };

export function IconLink({ label, variant = "ghost", size = "sm", className, ...rest }: IconLinkProps) {
  return (
    <Tooltip text={label}>
      <LinkButton
        aria-label={label}
        variant={variant}
        size={size}
        className={cx(SQUARE, className)}
        {...rest}
      />
    </Tooltip>
  );
}

export function Spinner({ className }: { className?: string }) {
  return <LoaderCircle aria-hidden="true" className={cx("size-4 animate-spin", className)} />;
}
