UPDATE stock SET quantity = quantity + 1000, received = received + 1000 WHERE article = :article
