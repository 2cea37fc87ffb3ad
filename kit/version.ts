/** Version that the supervisor tells in `hello`; the controller keeps the kit at the portal's version (design 5). */
export const kitVersion = '0.1.0';
