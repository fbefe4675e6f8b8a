import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;

/** Two bookings with the JDK's HttpURLConnection; the second reuses the connection of the first. */
public class UrlConnectionClient {
  private static final int TIMEOUT_MS = 2000;

  public static void main(String[] arguments) {
    boolean allSucceeded = true;
    for (int n = 1; n <= 2; n++) {
      allSucceeded &= post(n);
    }
    System.exit(allSucceeded ? 0 : 1);
  }

  private static boolean post(int n) {
    try {
      HttpURLConnection connection = open();
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body(n).getBytes(StandardCharsets.UTF_8));
      }
      int status = connection.getResponseCode();
      // Only a connection whose answer has been read to its end is kept alive.
      try (InputStream in = bodyOf(connection, status)) {
        if (in != null) in.readAllBytes();
      }
      System.err.println("booking " + n + ": status " + status);
      return status == 201;
    } catch (IOException error) {
      System.err.println("booking " + n + ": " + error.getClass().getSimpleName());
      return false;
    }
  }

  private static InputStream bodyOf(HttpURLConnection connection, int status) throws IOException {
    return status < 400 ? connection.getInputStream() : connection.getErrorStream();
  }

  private static HttpURLConnection open() throws IOException {
    URL url = new URL(System.getenv("MISHAP_URL").replaceAll("/+$", "") + "/v1/bookings");
    HttpURLConnection connection = (HttpURLConnection) url.openConnection();
    connection.setRequestMethod("POST");
    connection.setDoOutput(true);
    connection.setConnectTimeout(TIMEOUT_MS);
    connection.setReadTimeout(TIMEOUT_MS);
    connection.setRequestProperty("Content-Type", "application/json");
    connection.setRequestProperty("Authorization", "Bearer " + variable("MISHAP_TOKEN", ""));
    return connection;
  }

  private static String body(int n) {
    String reference =
        "java-" + variable("MISHAP_SCENARIO", "r") + "-" + variable("MISHAP_COPY", "0") + "-" + n;
    return "{\"reference\": \"" + reference + "\", \"product\": \"harbour-tour\", \"guests\": 2}";
  }

  private static String variable(String name, String fallback) {
    String value = System.getenv(name);
    return value == null ? fallback : value;
  }
}
