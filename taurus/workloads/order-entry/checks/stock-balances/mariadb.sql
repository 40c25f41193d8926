SELECT article, quantity, sold, received FROM stock WHERE quantity + sold <> received OR quantity < 0
