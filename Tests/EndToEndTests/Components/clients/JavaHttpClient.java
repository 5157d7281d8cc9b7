import java.net.URI;
import java.net.http.*;

class JavaHttpClient {
    public static void main(String[] arguments) throws Exception {
        var answer = HttpClient.newHttpClient().send(
            HttpRequest.newBuilder(URI.create(arguments[0])).build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 200) throw new Exception("HTTP " + answer.statusCode());
        System.out.print(answer.body());
    }
}
