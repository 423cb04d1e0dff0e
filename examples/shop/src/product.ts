export interface Product {
  id: string;
  name: string;
  /** In cents. */
  price: number;
}
