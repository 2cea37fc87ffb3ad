import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Executors;

/** The app: one process for each person, as their own account, behind svc-wrap. */
class App {
  private static final Path GUARDA = Path.of(System.getenv().getOrDefault("SVC_APP_DATA_DIR", "."), "contagem");

  public static void main(String[] args) throws IOException {
    var lugar = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
    var pagina = Path.of(args[1]).toAbsolutePath().normalize();
    var servidor = HttpServer.create(lugar, 0);
    servidor.createContext("/api/contagem", App::contar);
    servidor.createContext("/", pedido -> servir(pedido, pagina));
    servidor.setExecutor(Executors.newCachedThreadPool());
    servidor.start();
  }

  private static synchronized void contar(HttpExchange pedido) throws IOException {
    var contagem = ler();
    if (pedido.getRequestMethod().equals("POST")) guardar(++contagem);
    responder(pedido, 200, "application/json", "{\"contagem\":%d}".formatted(contagem).getBytes(StandardCharsets.UTF_8));
  }

  private static long ler() throws IOException {
    try {
      return Long.parseLong(Files.readString(GUARDA).strip());
    } catch (NoSuchFileException | NumberFormatException nova) {
      return 0;
    }
  }

  /** A backend may be ended at any time: the file is written whole or not at all. */
  private static void guardar(long contagem) throws IOException {
    var novo = GUARDA.resolveSibling("contagem.novo");
    Files.writeString(novo, Long.toString(contagem));
    Files.move(novo, GUARDA, StandardCopyOption.ATOMIC_MOVE);
  }

  private static void servir(HttpExchange pedido, Path pagina) throws IOException {
    var caminho = pedido.getRequestURI().getPath();
    var arquivo = pagina.resolve(caminho.equals("/") ? "index.html" : caminho.substring(1)).normalize();
    if (!arquivo.startsWith(pagina) || !Files.isRegularFile(arquivo)) {
      responder(pedido, 404, "application/json", "{\"error\":\"rota desconhecida\"}".getBytes(StandardCharsets.UTF_8));
      return;
    }
    var tipo = Files.probeContentType(arquivo);
    responder(pedido, 200, tipo == null ? "application/octet-stream" : tipo, Files.readAllBytes(arquivo));
  }

  private static void responder(HttpExchange pedido, int estado, String tipo, byte[] corpo) throws IOException {
    try (pedido) {
      pedido.getRequestBody().readAllBytes();
      pedido.getResponseHeaders().set("Content-Type", tipo);
      var semCorpo = pedido.getRequestMethod().equals("HEAD");
      pedido.sendResponseHeaders(estado, semCorpo || corpo.length == 0 ? -1 : corpo.length);
      if (!semCorpo) pedido.getResponseBody().write(corpo);
    }
  }
}
