/** How long a new password may be, in characters. */
export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 200;
