/* License. */
@Deprecated
package shop.cart;

import java.util.List;
import static shop.Prices.*;
import shop.base.Base;

/** A cart. */
@Entity(name = "cart", tags = {"a", "b"})
public final class Cart<@NonNull T extends Item & Comparable<T>> extends Base<T> implements Shape, java.io.Serializable {
    private static final int LIMIT = 1_000, MIN = 0x1F, OCT = 017, BIN = 0b1;
    /** The items. */
    @Inject protected List<? extends T> items = new ArrayList<>();
    double[] prices[] = {{1.5, 2e3}, {}}, other;
    char c = '\'';
    float f = 0x1p3f;
    String text = """
        a
          b""";

    static {
        System.loadLibrary("x");
    }

    {
        count = 1;
    }

    @SuppressWarnings("all")
    public <U> Cart(int size, T... rest) throws IOException {
        this.<U>init(size);
    }

    protected Cart() {
        super(1);
        this.count = 0;
    }

    /** Adds an item. */
    @Override
    public synchronized boolean add(final T item, int @A [] more) throws A, B {
        assert item != null : "no item";
        int count = 1, rest[] = new int[3];
        final var list = new int[][] {{1}, {2}};
        count += list[0].length;
        label:
        for (int i = 0, j = 1; i < count; i++, --j) {
            if (i == 2) continue label;
            else if (i > 3) break label;
        }
        for (T other : items) {
            items.forEach(x -> System.out.println(x));
            items.sort((a, b) -> { return a.compareTo(b); });
            items.map((String s, int n) -> s).map(Cart::total).map(int[]::new).map(this::add).map(super::add);
        }
        while (true) { break; }
        do { count--; } while (count > 0);
        try (var in = open(); out) {
            in.read();
        } catch (final IOException | RuntimeException e) {
            throw new IllegalStateException(e);
        } finally {
            close();
        }
        synchronized (this) { notify(); }
        switch (count) {
            case 1:
            case 2: count = 3; break;
            default: ;
        }
        int value = switch (item) {
            case Point(int x, var y) when x > 0 -> x;
            case Circle c -> { yield 1; }
            case null, default -> throw new Error();
        };
        if (item instanceof Circle circle && item instanceof final Named n && !(item instanceof Point(_, int q))) ;
        Object o = (Runnable & Serializable) () -> {};
        Class<?> type = String.class;
        Runnable r = new Runnable() {
            @Override public void run() { Cart.this.add(null); }
        };
        class Local { int z; }
        o = count > 0 ? (Object) -count : ~count;
        outer.new Inner();
        return !done || a & b | c ^ d && x << 1 >>> 2 != y;
    }

    abstract int total(@Nullable Cart<T> this, int[] ns)[];

    static void none() { }

    public enum Color { RED, @Old GREEN, }

    enum Kind implements Named {
        SMALL(1) {
            @Override int size() { return 1; }
        },
        LARGE(2);

        private final int size;

        Kind(int size) { this.size = size; }

        int size() { return size; }
    }

    record Point(int x, @Min(1) int y) implements Shape {
        static int origin;

        Point {
            check(x);
        }
    }

    public sealed interface Shape<T> extends A, B permits Circle, Point {
        double PI = 3.14, E = 2.7;

        double area();

        default int sides() { return 0; }
    }

    @interface Ann {
        int value() default 1;
        String[] names() default {};
        int ZERO = 0;
    }

    ;
}
