/// Runs `body`, and behind it, whatever came of it, what ends that which it used.
///
/// - Returns: what `body` gives.
/// - Throws: what `body` throws, once `end` is through.
func ending<Result>(
    with end: () async -> Void,
    _ body: () async throws -> Result
) async throws -> Result {
    let result: Result
    do {
        result = try await body()
    } catch {
        await end()
        throw error
    }
    await end()
    return result
}
