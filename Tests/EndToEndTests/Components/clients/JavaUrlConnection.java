import java.net.URI;

class JavaUrlConnection {
    public static void main(String[] arguments) throws Exception {
        try (var body = URI.create(arguments[0]).toURL().openStream()) {
            body.transferTo(System.out);
            System.out.flush();
        }
    }
}
