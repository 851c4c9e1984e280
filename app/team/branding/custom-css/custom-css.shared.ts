/** Attribute of `html` that scopes custom CSS, so that it can't affect sign-in, settings or `?plain=1`. */
export const CUSTOM_CSS_ATTRIBUTE = "data-custom-css";
